import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/* A stub of GitHub that follows its documentation, configured as a GitHub Enterprise Server. Everybody who logs in is its only account. */

export interface GithubSite {
	address: string
	stop: () => Promise<void>
}

/** Starts it. @param repositories names of the account's public repositories, last changed first */
export async function startGithub(login: string, repositories: readonly string[]): Promise<GithubSite> {
	const repositoryOf = (name: string, index: number) => ({
		...{ id: index + 1, name, description: `What ${name} does`, language: 'TypeScript', homepage: '', fork: false },
		...{
			html_url: `${address}/${login}/${name}`,
			created_at: '2025-03-01T10:00:00Z',
			private: false,
			owner: { id: 7 },
		},
	})
	const answers: Record<string, () => unknown> = {
		'/login/oauth/access_token': () => ({ access_token: 'gho_1', token_type: 'bearer', scope: 'read:user' }),
		'/api/v3/user': () => ({ id: 7, login, name: 'Ada Lumen' }),
		'/api/v3/user/emails': () => [{ email: `${login}@example.com`, primary: true, verified: true }],
		[`/api/v3/users/${login}/repos`]: () => repositories.map(repositoryOf),
	}
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? '', address)
		if (url.pathname === '/login/oauth/authorize') {
			const back = new URL(url.searchParams.get('redirect_uri') ?? '')
			back.search = String(new URLSearchParams({ code: 'a code', state: url.searchParams.get('state') ?? '' }))
			response.writeHead(302, { Location: back.href }).end()
			return
		}
		const answer = answers[url.pathname]
		response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json; charset=utf-8' })
		response.end(JSON.stringify(answer?.() ?? {}))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	return {
		address,
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve())
				server.closeAllConnections()
			}),
	}
}
