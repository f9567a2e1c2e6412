import { type RouterContextProvider, redirect } from 'react-router'
import { mayEditProfile } from '~/features/members/members.policy.ts'
import { requireOwner } from '~/features/members/members.server.ts'
import { pictureFromForm } from '~/features/pictures/pictures.server.ts'
import type { PictureKind } from '~/features/pictures/pictures.view.ts'
import type { ItemTable } from '~/features/profiles/profiles.queries.server.ts'
import { Conflict, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { chooseIntent, type Input, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { type FormValues, formValues } from '~/platform/http/form.ts'
import { redirectWithSuccess, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { moveItem } from './order.server.ts'

interface Asked {
	context: Readonly<RouterContextProvider>
	params: { username: string }
	url: URL
}

/** Requires the owner for a page of Edit profile. @throws a redirect: visitors to the login page, others to the public profile */
export function requireOwnPage({ context, params, url }: Asked): SignedIn {
	const viewer = requireLogin(context, url)
	if (mayEditProfile(viewer, { username: params.username.toLowerCase() })) return viewer
	throw redirect(`/find-dev/${encodeURIComponent(params.username)}`)
}

/** Requires the owner for a form of Edit profile. @throws a redirect of visitors to the login page, 403 for others */
export function requireOwnForm({ context, params, url }: Asked): Promise<SignedIn> {
	const viewer = requireLogin(context, url)
	return withHttpErrors(async () => requireOwner(viewer, params.username))
}

/**
 * The texts of a form with a picture. A file, sent without JavaScript, is stored first and replaced by its path, so that the picture
 * survives an error in another field.
 * @throws Invalid at the field
 */
export async function textsWithPicture(
	viewer: SignedIn,
	form: FormData,
	kind: PictureKind,
	name: string,
): Promise<FormValues> {
	form.set(name, (await pictureFromForm(viewer, kind, form, name)) ?? '')
	return formValues(form)
}

interface ActionArgs {
	request: Request
	context: Readonly<RouterContextProvider>
	params: { username: string }
	url: URL
}

/** The forms of a list of items, with their notices. */
interface ItemForms {
	table: ItemTable
	add: (viewer: Viewer, username: string, input: Input) => Promise<void>
	save: (viewer: Viewer, username: string, id: string, input: Input) => Promise<void>
	remove: (viewer: Viewer, username: string, id: string) => Promise<void>
	/** The picture of an item, if the kind has one. */
	picture: { kind: 'certificate' | 'project'; field: string } | null
	added: string
	updated: string
	deleted: string
	/** The notice for an unexpected error of a deletion. */
	notDeleted: string
}

/** Handles the forms of a list of items: adding, replacing, deleting, and changing the order. */
export async function itemAction(args: ActionArgs, forms: ItemForms) {
	const viewer = await requireOwnForm(args)
	const form = await readForm(args.request)
	const done = (message: string) => redirectWithSuccess(args.url.pathname, message)
	const intent = readText(form, 'intent')
	const deletes = intent === 'delete'
	const item = readText(form, 'item')
	try {
		return await chooseIntent(intent, {
			'': async () => {
				const { picture } = forms
				const input = picture ? await textsWithPicture(viewer, form, picture.kind, picture.field) : formValues(form)
				if (item) {
					await forms.save(viewer, viewer.username, item, input)
					return done(forms.updated)
				}
				await forms.add(viewer, viewer.username, input)
				return done(forms.added)
			},
			order: async () => done(await moveItem(viewer, viewer.username, forms.table, formValues(form))),
			delete: async () => {
				await forms.remove(viewer, viewer.username, item)
				return done(forms.deleted)
			},
		})
	} catch (error) {
		// These forms have no place for an error, and the list is no longer as the page shows it.
		if ((intent === 'order' || deletes) && (error instanceof Conflict || error instanceof NotFound))
			return redirectWithToast(args.url.pathname, { type: 'error', message: error.message })
		return refuseForm(error, form, deletes ? forms.notDeleted : 'Something went wrong!')
	}
}
