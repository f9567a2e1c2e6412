import { data } from 'react-router'
import { refreshSession } from '~/features/accounts/viewer.server.ts'
import { editProfilePath } from '~/features/members/members.view.ts'
import { pictureFromForm } from '~/features/pictures/pictures.server.ts'
import { DomainError } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { savePicture } from '../editing.server.ts'
import { requireOwnForm } from '../requests.server.ts'
import type { Route } from './+types/save-picture'

/** The result: the stored path, '' for none, or an error. */
/** The stored path, or why there is none. `said`: a toast has already shown it, as there was no response. */
export type PictureSaveResult = { saved: string } | { message: string; said?: boolean }

/** Saves the profile picture in `profile_url`, or removes it; called by scripts after cropping. */
export async function action(args: Route.ActionArgs) {
	// After a login the member returns to the form.
	const viewer = await requireOwnForm({ ...args, url: new URL(editProfilePath(args.params.username), args.url) })
	const form = await readForm(args.request)
	try {
		const path = await pictureFromForm(viewer, 'profile', form, 'profile_url')
		await savePicture(viewer, viewer.username, path)
		// The header shows the picture from the session.
		return data<PictureSaveResult>({ saved: path ?? '' }, { headers: await refreshSession(args.request) })
	} catch (error) {
		if (error instanceof Response) throw error
		if (error instanceof DomainError)
			return data<PictureSaveResult>({ message: error.message }, { status: error.status })
		log.error({ err: error }, 'a profile picture could not be saved')
		return data<PictureSaveResult>({ message: 'Something went wrong! Try again' }, { status: 500 })
	}
}
