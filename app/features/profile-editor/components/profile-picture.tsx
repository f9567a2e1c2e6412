import { useEffect, useRef, useState } from 'react'
import { useFetcher, useParams } from 'react-router'
import { editProfilePath } from '~/features/members/members.view.ts'
import { PictureField, pictureViewOf } from '~/features/pictures/components/picture-field.tsx'
import type { UploadErrorKind } from '~/features/pictures/pictures.view.ts'
import { toast } from '~/shell/toast.ts'
import type { PictureSaveResult } from '../routes/save-picture.ts'

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
	const { data, isSaving, save } = useSaving(`${editProfilePath(username)}/picture`)
	const [stored, setStored] = useState(path)
	const [refusals, setRefusals] = useState(0)

	useEffect(() => {
		if (data && 'saved' in data) setStored(data.saved)
	}, [data])
	// Only the last one of several counts.
	useEffect(() => {
		if (!data || isSaving) return
		if ('saved' in data) {
			const message = data.saved ? 'Profile picture uploaded successfully!' : 'Profile picture removed.'
			toast({ type: 'success', message })
		} else {
			if (!data.said) toast({ type: 'error', message: failed })
			// Remounts the field with the stored picture.
			setRefusals((count) => count + 1)
		}
	}, [data, isSaving])

	return (
		<PictureField
			key={refusals}
			name="profile_url"
			savedAlone
			label={label}
			optional
			kind="profile"
			value={pictureViewOf('profile', stored)}
			crop
			error={data && 'message' in data ? data.message : error}
			onChange={(picture) => void save(picture?.path ?? '')}
			onFailure={(kind) => OWN_FAULTS.includes(kind) || toast({ type: 'error', message: failed })}
		/>
	)
}

/**
 * Saves pictures one after the other, as requests that are sent together may arrive in either order. The last one is saved even if the
 * member leaves the page meanwhile.
 */
function useSaving(action: string) {
	const { submit, data, state } = useFetcher<PictureSaveResult>()
	const wanted = useRef<string | null>(null)
	const save = async (path: string) => {
		const isUnderWay = wanted.current !== null
		wanted.current = path
		if (isUnderWay) return
		for (let sent: string | null = null; wanted.current !== sent; ) {
			sent = wanted.current
			await submit({ profile_url: wanted.current }, { method: 'post', action })
		}
		wanted.current = null
	}
	return { data, isSaving: state !== 'idle', save }
}
