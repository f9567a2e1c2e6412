import { CircleAlert, Upload as UploadIcon, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { largestPicture, type PictureKind } from '~/lib/picture-paths.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Picture } from '~/ui/picture.tsx'
import { pictureRefusals, type UploadErrorKind } from '../picture-errors.ts'
import type { PictureView } from '../profiles.present.ts'
import { CropDialog } from './crop-dialog.tsx'
import { useHeldForm } from './use-held-form.ts'
import { type Upload, useUpload } from './use-upload.ts'

interface PictureFieldProps {
	/** The form is sent the picture's path under this name, or without JavaScript the file under `{name}_file`. */
	name: string
	label: string
	kind: PictureKind
	value: PictureView | null
	/** Whether a square of the picture is chosen before it is sent. */
	crop?: boolean
	error?: string | null | undefined
	/** Whether it is saved by itself where scripts run, and the form is not sent it then. */
	savedAlone?: boolean
	/** Called when the picture is another one. */
	onChange?: (picture: PictureView | null) => void
	/** Called when a picture could not be uploaded. */
	onFailure?: (kind: UploadErrorKind) => void
	/** Says so after the label. */
	optional?: boolean | undefined
	/** Says that the form is not taken without a picture. */
	needed?: string | undefined
}

const accepted = 'image/jpeg,image/png'

/** A picture of a form: choose or drop a file, cut it, watch it go, cancel, replace, remove. */
export function PictureField({
	name,
	label,
	kind,
	value,
	crop = false,
	error,
	savedAlone = false,
	optional = false,
	needed,
	onChange = () => {},
	onFailure = () => {},
}: PictureFieldProps) {
	const hydrated = useHydrated()
	const sent = !(savedAlone && hydrated)
	const upload = useUpload(kind, value, { onChange, onFailure })
	const [chosen, setChosen] = useState<File | null>(null)
	const field = useRef<HTMLInputElement>(null)
	useHeldForm(field, sent && upload.sending !== null, () => upload.fail(pictureRefusals.sending))
	const file = useRef<HTMLInputElement>(null)
	const message = upload.failure ?? error
	const choose = (file: File | undefined) => {
		if (!file) return
		if (file.size > largestPicture) upload.fail(pictureRefusals.bytes)
		else if (crop) setChosen(file)
		else upload.start(file, null)
	}
	// A file that was chosen before the scripts were there told nobody.
	// biome-ignore lint/correctness/useExhaustiveDependencies: there is one such moment
	useEffect(() => choose(file.current?.files?.[0]), [])
	return (
		<fieldset
			className="field min-w-0"
			onDragOver={(event) => event.preventDefault()}
			onDrop={(event) => {
				event.preventDefault()
				choose(event.dataTransfer.files[0])
			}}
		>
			<legend className="label mb-1.5">
				{label}
				{optional && <span className="font-normal text-ink-3"> optional</span>}
			</legend>
			<input
				ref={field}
				type="hidden"
				name={sent ? name : undefined}
				value={upload.picture?.path ?? ''}
				data-saved-alone={savedAlone || undefined}
			/>
			<Frame upload={upload} square={crop} />
			<Controls name={name} label={label} input={file} hydrated={hydrated} upload={upload} onFile={choose} />
			<p className="hint">
				{needed && `${needed} `}JPG or PNG, up to 5 MB.{hydrated && ' Drop a file here, or choose one.'}
			</p>
			{message && (
				<p className="error" id={`${name}-error`} role="alert">
					<CircleAlert className="icon icon-sm mt-px" aria-hidden="true" />
					<span>{message}</span>
				</p>
			)}
			{crop && (
				<CropDialog
					file={chosen}
					onClose={() => setChosen(null)}
					onDone={(file, area) => {
						setChosen(null)
						upload.start(file, area)
					}}
					onUnreadable={() => {
						setChosen(null)
						upload.fail(pictureRefusals.type)
					}}
				/>
			)}
		</fieldset>
	)
}

function Frame({ upload: { picture, sending, cancel }, square }: { upload: Upload; square: boolean }) {
	if (!picture && !sending) return null
	return (
		<div className={`overflow-clip rounded-md border border-line-2 ${square ? 'max-w-40' : 'max-w-72'}`}>
			{picture && (
				<Picture
					picture={picture}
					alt="The picture as it will be shown"
					sizes={square ? '10rem' : '18rem'}
					className={square ? 'aspect-square w-full object-cover' : 'aspect-[640/452] w-full object-cover'}
				/>
			)}
			{sending && (
				<div className="flex items-center gap-2 border-t border-line bg-raised py-1 pr-1 pl-3 text-xs text-ink-2">
					<span className="min-w-0 flex-1">
						<span className="block truncate">
							{sending.waiting
								? 'The connection failed. Trying again…'
								: `${sending.name}, ${Math.round(sending.sent * 100)}%`}
						</span>
						<progress className="block h-1 w-full accent-ivy" max={1} value={sending.sent} aria-label="Uploading" />
					</span>
					<button type="button" className="icon-btn icon-btn-sm" aria-label="Cancel upload" onClick={cancel}>
						<X className="icon icon-sm" aria-hidden="true" />
					</button>
				</div>
			)}
		</div>
	)
}

interface ControlsProps {
	name: string
	label: string
	input: RefObject<HTMLInputElement | null>
	hydrated: boolean
	upload: Upload
	onFile: (file?: File) => void
}

/** The file input stays the same element when the scripts come: a member may be choosing a file at that moment. */
function Controls({ name, label, input, hydrated, upload, onFile }: ControlsProps) {
	return (
		<div className="mt-2.5 flex flex-wrap gap-2">
			<input
				ref={input}
				className={hydrated ? 'peer sr-only' : 'input'}
				id={`${name}-file`}
				type="file"
				name={hydrated ? undefined : `${name}_file`}
				accept={accepted}
				aria-label={`${label}: choose a file`}
				aria-describedby={upload.failure ? `${name}-error` : undefined}
				onChange={(event) => {
					onFile(event.currentTarget.files?.[0])
					// The same file chosen again is a change again.
					event.currentTarget.value = ''
				}}
			/>
			{hydrated && (
				<label
					className="btn btn-outline btn-sm cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-ivy"
					htmlFor={`${name}-file`}
				>
					<UploadIcon className="icon icon-sm" aria-hidden="true" />
					{upload.picture ? 'Replace' : 'Choose file'}
				</label>
			)}
			{hydrated && upload.picture && (
				<button type="button" className="btn btn-text-danger btn-sm" onClick={upload.remove}>
					Remove
				</button>
			)}
		</div>
	)
}
