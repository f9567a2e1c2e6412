import { useEffect, useRef, useState } from 'react'
import { useFetcher, useParams } from 'react-router'
import { editPath } from '~/features/members/members.paths.ts'
import { PictureField } from '~/features/pictures/components/picture-field.tsx'
import type { UploadErrorKind } from '~/features/pictures/pictures.view.ts'
import { type PictureKind, pictureWidths } from '~/lib/picture-paths.ts'
import { toast } from '~/shell/toast.ts'
import type { PictureView } from '../profiles.view.ts'
import type { PictureSaved } from '../routes/save-picture.ts'

interface FormPictureProps {
	name: string
	label: string
	kind: PictureKind
	/** Of the picture that the form begins with, or ''. */
	path: string
	error?: string | undefined
	/** Says so after the label. */
	optional?: boolean
	/** Says that the form is not taken without a picture. */
	needed?: string
}

/** The picture of an item's form, saved with it; the form is told of each change. */
export function FormPicture({ name, label, kind, path, error, optional, needed }: FormPictureProps) {
	const box = useRef<HTMLDivElement>(null)
	const tell = () => {
		const field = box.current?.querySelector<HTMLInputElement>(`input[name="${name}"]`)
		field?.dispatchEvent(new Event('input', { bubbles: true }))
	}
	return (
		<div ref={box}>
			<PictureField
				name={name}
				label={label}
				kind={kind}
				value={viewOf(kind, path)}
				error={error}
				optional={optional}
				needed={needed}
				onChange={tell}
			/>
		</div>
	)
}

const failed = 'Something went wrong! Try again'
/** What the member did, or can mend: it is said at the field alone. */
const OWN_FAULTS: readonly UploadErrorKind[] = ['canceled', 'invalid-argument', 'quota-exceeded']

/**
 * The profile picture. Where scripts run, it is saved as soon as it was cut or removed, and the form around it stays as it is;
 * without them it travels with the form.
 */
export function ProfilePicture({ label, path, error }: Pick<FormPictureProps, 'label' | 'path' | 'error'>) {
	const { username = '' } = useParams()
	const { submit, data } = useFetcher<PictureSaved>()
	const [stored, setStored] = useState(path)
	const [refusals, setRefusals] = useState(0)

	useEffect(() => {
		if (!data) return
		if ('saved' in data) {
			setStored(data.saved)
			const message = data.saved ? 'Profile picture uploaded successfully!' : 'Profile picture removed.'
			toast({ type: 'success', message })
		} else {
			toast({ type: 'error', message: failed })
			// What is stored is shown again.
			setRefusals((count) => count + 1)
		}
	}, [data])

	const save = (picture: PictureView | null) => {
		const action = `${editPath(username)}/picture`
		void submit({ profile_url: picture?.path ?? '' }, { method: 'post', action })
	}
	return (
		<PictureField
			key={refusals}
			name="profile_url"
			savedAlone
			label={label}
			optional
			kind="profile"
			value={viewOf('profile', stored)}
			crop
			error={data && 'message' in data ? data.message : error}
			onChange={save}
			onFailure={(kind) => OWN_FAULTS.includes(kind) || toast({ type: 'error', message: failed })}
		/>
	)
}

/** The field draws it in a fixed shape, whatever its own. */
function viewOf(kind: PictureKind, path: string): PictureView | null {
	return path ? { path, width: pictureWidths[kind][2], height: pictureWidths[kind][2], colour: '' } : null
}
