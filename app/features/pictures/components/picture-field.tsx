import { CircleAlert, Upload as UploadIcon, X } from 'lucide'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Icon } from '~/ui/icon.tsx'
import {
	MAX_PICTURE_BYTES,
	type PictureKind,
	type PictureView,
	pictureRefusals,
	type UploadErrorKind,
	widthsOfKind,
} from '../pictures.view.ts'
import { CropDialog } from './crop-dialog.tsx'
import { Picture } from './picture.tsx'
import { type UploadState, useUpload } from './upload.ts'

interface PictureFieldProps {
	/** The form field with the picture's path; without JavaScript the file is sent as `{name}_file`. */
	name: string
	label: string
	kind: PictureKind
	value: PictureView | null
	/** Whether the picture is cropped to a square before the upload. */
	crop?: boolean
	error?: string | null | undefined
	/** Whether the picture is saved on its own with scripts, so that the form omits it. */
	savedAlone?: boolean
	/** Called when the picture changes. */
	onChange?: (picture: PictureView | null) => void
	/** Called when an upload fails. */
	onFailure?: (kind: UploadErrorKind) => void
	/** Shown after the label. */
	optional?: boolean | undefined
	/** The error if the form is submitted without a picture. */
	needed?: string | undefined
}

const accepted = 'image/jpeg,image/png'

/** A picture in a form: choose or drop a file, crop, watch the upload, cancel, replace, remove. */
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
	// Even a form that omits the picture: saving it remounts its fields.
	useHeldForm(field, upload.sending !== null, () => upload.fail(pictureRefusals.sending))
	const file = useRef<HTMLInputElement>(null)
	const message = upload.failure ?? error
	const focusing = withFocusOn(file, upload)
	const choose = (file: File | undefined) => {
		if (!file) return
		if (file.size > MAX_PICTURE_BYTES) upload.fail(pictureRefusals.bytes)
		else if (crop) setChosen(file)
		else upload.start(file, null)
	}
	// A file that was chosen before the scripts ran raised no event.
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
			<Frame upload={focusing} square={crop} />
			<Controls name={name} label={label} input={file} hydrated={hydrated} upload={focusing} onFile={choose} />
			<p className="hint">
				{needed && `${needed} `}JPG or PNG, up to 5 MB.
				{hydrated && <span className="pointer-coarse:hidden"> Drop a file here, or choose one.</span>}
			</p>
			{message && (
				<p className="error" id={`${name}-error`} role="alert">
					<Icon of={CircleAlert} className="icon-sm mt-px" />
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

/** The buttons that remove a picture or cancel its upload disappear: whoever has pressed one continues with the choice of a file. */
function withFocusOn(input: RefObject<HTMLInputElement | null>, upload: UploadState): UploadState {
	const first = (act: () => void) => () => {
		input.current?.focus({ preventScroll: true })
		act()
	}
	return { ...upload, cancel: first(upload.cancel), remove: first(upload.remove) }
}

interface FormPictureProps {
	name: string
	label: string
	kind: PictureKind
	/** The initial picture, or ''. */
	path: string
	error?: string | undefined
	/** Shown after the label. */
	optional?: boolean
	/** The error if the form is submitted without a picture. */
	needed?: string
}

/** The picture of an item, saved with the item's form. The form is notified of changes. */
export function FormPicture({ name, label, kind, path, error, optional, needed }: FormPictureProps) {
	const container = useRef<HTMLDivElement>(null)
	const notify = () => {
		const field = container.current?.querySelector<HTMLInputElement>(`input[name="${name}"]`)
		field?.dispatchEvent(new Event('input', { bubbles: true }))
	}
	return (
		<div ref={container}>
			<PictureField
				name={name}
				label={label}
				kind={kind}
				value={pictureViewOf(kind, path)}
				error={error}
				optional={optional}
				needed={needed}
				onChange={notify}
			/>
		</div>
	)
}

/** A picture of which only the path is known; '' for none. The field renders it in a fixed shape, so its size does not matter. */
export function pictureViewOf(kind: PictureKind, path: string): PictureView | null {
	return path ? { path, width: widthsOfKind(kind)[2], height: widthsOfKind(kind)[2], colour: '' } : null
}

function Frame({ upload: { picture, sending, cancel }, square }: { upload: UploadState; square: boolean }) {
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
						<Icon of={X} className="icon-sm" />
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
	upload: UploadState
	onFile: (file?: File) => void
}

/**
 * The file input must stay the same element during hydration, as a member may be choosing a file at that moment. The buttons take as
 * much height as it does without scripts, so that nothing below moves.
 */
function Controls({ name, label, input, hydrated, upload, onFile }: ControlsProps) {
	return (
		<div className={`flex min-h-9 flex-wrap items-start gap-2 ${upload.picture || upload.sending ? 'mt-1' : ''}`}>
			<input
				ref={input}
				className={hydrated ? 'peer sr-only' : 'input'}
				id={`${name}-file`}
				type="file"
				name={hydrated ? undefined : `${name}_file`}
				accept={accepted}
				aria-label={`${upload.picture ? 'Replace' : 'Choose file'}: ${label}`}
				aria-describedby={upload.failure ? `${name}-error` : undefined}
				onChange={(event) => {
					onFile(event.currentTarget.files?.[0])
					// So that choosing the same file again fires a change event.
					event.currentTarget.value = ''
				}}
			/>
			{hydrated && (
				<label
					className="btn btn-outline btn-sm cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-ivy"
					htmlFor={`${name}-file`}
				>
					<Icon of={UploadIcon} className="icon-sm" />
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

/**
 * Blocks the form from being submitted while `held`, with a notice: the pending picture would be lost.
 * @param field an input of the form
 */
function useHeldForm(field: RefObject<HTMLInputElement | null>, held: boolean, notify: () => void): void {
	const latest = useRef(notify)
	useEffect(() => {
		latest.current = notify
	})
	useEffect(() => {
		const form = field.current?.form
		if (!held || !form) return
		const hold = (event: Event) => {
			event.preventDefault()
			event.stopPropagation()
			latest.current()
		}
		form.addEventListener('submit', hold, { capture: true })
		return () => form.removeEventListener('submit', hold, { capture: true })
	}, [field, held])
}
