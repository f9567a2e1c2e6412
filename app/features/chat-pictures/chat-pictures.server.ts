import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { storePicture } from '~/features/pictures/pictures.server.ts'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import { isModerator, type SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { isInMessagesOf, lockOwnPictures, secondsUntilPictures } from './chat-pictures.queries.server.ts'
import { type ChatPicture, MAX_PICTURE_MESSAGES, type PictureReference } from './chat-pictures.view.ts'

/**
 * The pictures of a message that is about to be stored, without duplicates, in the given order. They are locked against the sweep until the
 * transaction ends.
 * @throws Invalid if the sender did not upload one of them for a message; TooManyRequests
 */
export async function attachPictures(
	trx: Executor,
	sender: SignedIn,
	named: PictureReference[],
): Promise<ChatPicture[]> {
	// Of two messages to different members at once, the second one counts the first.
	await lockMember(trx, sender.id)
	const seconds = await secondsUntilPictures(trx, sender.id, MAX_PICTURE_MESSAGES)
	if (seconds !== null)
		throw new TooManyRequests(
			`You may send ${MAX_PICTURE_MESSAGES.messages} messages with pictures an hour. Try again later.`,
			seconds,
		)
	const alts = new Map(named.map(({ path, alt }) => [path, alt]))
	const stored = await lockOwnPictures(trx, sender.id, [...alts.keys()])
	const found = new Map(stored.map((picture) => [picture.path, picture]))
	return [...alts].map(([path, alt]) => {
		const picture = found.get(path)
		if (!picture) throw new Invalid('A picture of this message no longer exists. Send it again.')
		return { path, width: picture.width, height: picture.height, alt }
	})
}

/**
 * The pictures of a form that was sent without scripts: a file in `picture_file`, or in `picture` the path of one that an earlier attempt
 * stored; `alt` describes it. A file is stored first, so that it survives an error in the rest of the form.
 * @throws Invalid, TooManyRequests if the file is refused
 */
export async function picturesFromForm(viewer: SignedIn, form: FormData): Promise<PictureReference[]> {
	const file = form.get('picture_file')
	form.delete('picture_file')
	if (file instanceof Blob && file.size > 0) form.set('picture', (await storePicture(viewer, 'message', file)).path)
	const path = form.get('picture')
	const alt = form.get('alt')
	return typeof path === 'string' && path !== '' ? [{ path, alt: typeof alt === 'string' ? alt : '' }] : []
}

/** Whether the viewer may see a picture of a message: its two members until the message is deleted, and moderators once it was reported. */
export function maySeePicture(viewer: SignedIn, path: string): Promise<boolean> {
	return isInMessagesOf(viewer.id, path, { moderates: isModerator(viewer) })
}
