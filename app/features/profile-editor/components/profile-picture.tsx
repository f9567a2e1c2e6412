import { useEffect, useState } from 'react'
import { useFetcher, useParams } from 'react-router'
import { editProfilePath } from '~/features/members/members.view.ts'
import { PictureField, pictureAt } from '~/features/pictures/components/picture-field.tsx'
import type { PictureView, UploadErrorKind } from '~/features/pictures/pictures.view.ts'
import { toast } from '~/shell/toast.ts'
import type { PictureSaved } from '../routes/save-picture.ts'

const failed = 'Something went wrong! Try again'
/** What the member did, or can mend: it is said at the field alone. */
const OWN_FAULTS: readonly UploadErrorKind[] = ['canceled', 'invalid-argument', 'quota-exceeded']

interface ProfilePictureProps {
	label: string
	/** Of the picture that the form begins with, or ''. */
	path: string
	error?: string | undefined
}

/**
 * The profile picture. Where scripts run, it is saved as soon as it was cut or removed, and the form around it stays as it is;
 * without them it travels with the form.
 */
export function ProfilePicture({ label, path, error }: ProfilePictureProps) {
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
		const action = `${editProfilePath(username)}/picture`
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
			value={pictureAt('profile', stored)}
			crop
			error={data && 'message' in data ? data.message : error}
			onChange={save}
			onFailure={(kind) => OWN_FAULTS.includes(kind) || toast({ type: 'error', message: failed })}
		/>
	)
}
