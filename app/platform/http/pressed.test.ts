import { RouterContextProvider } from 'react-router'
import { expect, test } from 'vitest'
import { viewerContext } from '~/lib/context.ts'
import { handleBackgroundForm } from './form.server.ts'

test.each([
	['application/json', (answer: Response) => answer.json().then(({ login }) => login)],
	['text/html', (answer: Response) => answer.headers.get('Location')],
])(
	'a visitor who requests %s returns to the same page after the login, including its query string',
	async (Accept, loginOf) => {
		const context = new RouterContextProvider()
		context.set(viewerContext, null)
		const request = new Request('http://localhost/vote', {
			method: 'POST',
			headers: { Accept, Referer: 'http://localhost/forum?q=tree&page=2' },
			body: new URLSearchParams({ value: '1' }),
		})
		const work = () => Promise.reject(new Error('A visitor may not do this.'))
		const answer = await handleBackgroundForm({ request, context, work }).catch((thrown) => thrown as Response)
		expect(await loginOf(answer)).toBe('/login?redirectTo=%2Fforum%3Fq%3Dtree%26page%3D2')
	},
)
