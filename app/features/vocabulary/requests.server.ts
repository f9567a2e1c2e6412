import type { RouterContextProvider } from 'react-router'
import { readForm, refuseForm, unknownIntent } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { actOnTerm, previewAct } from './acts.server.ts'
import { type ActPreview, type TermAct, termActs, termPath } from './vocabulary.view.ts'

const done: Record<TermAct, string> = {
	add: 'Term added.',
	rename: 'Term renamed.',
	'add-alias': 'Spelling added.',
	'remove-alias': 'Spelling removed.',
	merge: 'Terms merged.',
	join: 'Spelling added.',
	describe: 'Saved.',
}

interface Sent {
	request: Request
	context: Readonly<RouterContextProvider>
	url: URL
}

/**
 * Handles the form of an action (`intent`, its fields): previews it, and with `confirmed` carries it out.
 * @param id of the page's term; 0 for a new one
 */
export function answerAct({ request, context, url }: Sent, id: number) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const {
			intent: named,
			confirmed,
			...fields
		} = Object.fromEntries([...form].filter((field): field is [string, string] => typeof field[1] === 'string'))
		const act = termActs.find((one) => one === named)
		if (!act) throw unknownIntent()
		try {
			if (confirmed !== '1') {
				const preview: ActPreview = { act, fields, ...(await previewAct(viewer, act, id, fields)) }
				return preview
			}
			const term = await actOnTerm(viewer, act, id, fields)
			return redirectWithSuccess(termPath(term.id), done[act])
		} catch (error) {
			return refuseForm(error, form)
		}
	})
}
