import type { RouterContextProvider } from 'react-router'
import type { Viewer } from '~/lib/viewer.ts'
import { readForm, redirectWithToast } from '~/platform/http/http.ts'
import type { Input } from './editing.server.ts'
import { ownForm, refusedEdit, textsWithPicture } from './requests.server.ts'

interface ActionArgs {
	request: Request
	context: Readonly<RouterContextProvider>
	params: { username: string }
	url: URL
}

/** What the forms of certificates, or of projects, do and say. */
interface ItemForms {
	add: (viewer: Viewer, username: string, input: Input) => Promise<void>
	save: (viewer: Viewer, username: string, id: string, input: Input) => Promise<void>
	remove: (viewer: Viewer, username: string, id: string) => Promise<void>
	picture: { kind: 'certificate' | 'project'; field: string }
	added: string
	updated: string
	deleted: string
	/** Said when deleting failed for a reason that nobody foresaw. */
	notDeleted: string
}

/** Answers the forms of a list of items: one adds, one replaces the item that it names, one deletes it. */
export async function itemAction(args: ActionArgs, forms: ItemForms) {
	const viewer = await ownForm(args)
	const form = await readForm(args.request)
	const done = (message: string) => redirectWithToast(args.url.pathname, { type: 'success', message })
	const deletes = form.get('intent') === 'delete'
	const item = String(form.get('item') ?? '')
	try {
		if (deletes) {
			await forms.remove(viewer, viewer.username, item)
			return done(forms.deleted)
		}
		const input = await textsWithPicture(viewer, form, forms.picture.kind, forms.picture.field)
		if (item) {
			await forms.save(viewer, viewer.username, item, input)
			return done(forms.updated)
		}
		await forms.add(viewer, viewer.username, input)
		return done(forms.added)
	} catch (error) {
		return refusedEdit(error, form, deletes ? forms.notDeleted : undefined)
	}
}
