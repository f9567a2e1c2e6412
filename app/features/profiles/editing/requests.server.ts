import { data, type RouterContextProvider, redirect } from 'react-router'
import { pictureFromForm } from '~/features/pictures/pictures.server.ts'
import { log } from '~/lib/log.server.ts'
import type { PictureKind } from '~/lib/picture-paths.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { answering, refused, signedIn } from '~/platform/http/http.ts'
import { mayEditProfile } from '../profiles.policy.ts'
import { type EditRefusal, type Texts, textsOf } from './edit-refusal.ts'
import { owner, Stale } from './editing.server.ts'

interface Asked {
	context: Readonly<RouterContextProvider>
	params: { username: string }
	url: URL
}

/** The owner, for a page of Edit profile. @throws a redirect: visitors to the login page, others to the public profile */
export function ownPage({ context, params, url }: Asked): SignedIn {
	const viewer = signedIn(context, url)
	if (mayEditProfile(viewer, { username: params.username.toLowerCase() })) return viewer
	throw redirect(`/find-dev/${encodeURIComponent(params.username)}`)
}

/** The owner, for a form of Edit profile. @throws a redirect of visitors to the login page, 403 for others */
export function ownForm({ context, params, url }: Asked): Promise<SignedIn> {
	const viewer = signedIn(context, url)
	return answering(async () => owner(viewer, params.username))
}

/**
 * What a form with a picture says. A file that came with it, without JavaScript, is stored first and its path put into the
 * form, so that the picture stays chosen when another field is refused.
 * @throws Invalid at the field
 */
export async function textsWithPicture(
	viewer: SignedIn,
	form: FormData,
	kind: PictureKind,
	name: string,
): Promise<Texts> {
	form.set(name, (await pictureFromForm(viewer, kind, form, name)) ?? '')
	return textsOf(form)
}

/**
 * The answer of an edit form that was not saved. Nothing that was typed is lost, whatever went wrong.
 * @param unexpected what is said of a failure that nobody foresaw; it goes to the log
 */
export function refusedEdit(error: unknown, form: FormData, unexpected = 'Something went wrong!') {
	if (error instanceof Response) throw error
	const values = textsOf(form)
	const stored = error instanceof Stale ? error.stored : null
	try {
		const { data: refusal, init } = refused(error, form)
		return data<EditRefusal>({ ...refusal, values, stored }, init ?? {})
	} catch {
		log.error({ err: error }, 'a profile could not be saved')
		return data<EditRefusal>({ message: unexpected, errors: {}, values, stored }, { status: 500 })
	}
}
