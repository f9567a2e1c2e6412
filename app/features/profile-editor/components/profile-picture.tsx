import { useEffect, useState } from 'react'
import { useFetcher, useParams } from 'react-router'
import { editProfilePath } from '~/features/members/members.view.ts'
import { PictureField, pictureAt } from '~/features/pictures/components/picture-field.tsx'
import type { PictureView, UploadErrorKind } from '~/features/pictures/pictures.view.ts'
import { toast } from '~/shell/toast.ts'
import type { PictureSaved } from '../routes/save-picture.ts'

const failed = 'Something went wrong! Try again'
/** Errors that the member caused or can fix; they are shown at the field only. */
const OWN_FAULTS: readonly UploadErrorKind[] = ['canceled', 'invalid-argument', 'quota-exceeded']

interface ProfilePictureProps {
	label: string
	/** The initial picture, or ''. */
	path: string
	error?: string | undefined
}

/**
 * The profile picture. With scripts it is saved as soon as it was cropped or removed, independently of the form; without, it is sent with
 * the form.
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
			// Remounts the field with the stored picture.
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
