import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { demoAccounts } from '~/features/import/demo-account.server.ts'
import { picture } from '../factories/pictures.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

/* The backup that docs/self-hosting.md describes, by its own commands. */

const folder = mkdtempSync(join(tmpdir(), 'devquad-backup-'))
const site = { now: undefined as SiteProcess | undefined }

afterAll(async () => {
	await site.now?.stop()
	rmSync(folder, { recursive: true, force: true })
})

async function logIn({ url }: SiteProcess, password: string): Promise<string> {
	const answer = await fetch(`${url}/login`, {
		method: 'POST',
		redirect: 'manual',
		body: new URLSearchParams({ email: 'mira.quillon@eastmere.example', password }),
	})
	const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0])
	return cookies.join('; ')
}

test('a copy of the data directory, unpacked elsewhere, is the site with its members, sessions, texts and pictures', async () => {
	const first = await startSite({ DATA_DIR: join(folder, 'old') })
	site.now = first
	const password = (await demoAccounts(join(folder, 'old')))?.member.password ?? ''
	const Cookie = await logIn(first, password)
	const form = new FormData()
	form.set('kind', 'post')
	form.set('file', new Blob([Uint8Array.from(await picture('png'))]))
	const uploaded = await fetch(`${first.url}/media`, {
		method: 'POST',
		headers: { Origin: first.url, Cookie },
		body: form,
	})
	const { path } = ((await uploaded.json()) as { picture: { path: string } }).picture
	const asked = await fetch(`${first.url}/forum/ask`, {
		method: 'POST',
		redirect: 'manual',
		headers: { Origin: first.url, Cookie },
		body: new URLSearchParams({
			title: 'What is in a backup?',
			description: `This: ![it](/media/${path}-1280.webp)`,
			tags: 'backup',
			category: 'others',
		}),
	})
	const address = asked.headers.get('Location') ?? ''
	expect(await first.stop()).toBe(0)

	const archive = join(folder, 'devquad.tar.gz')
	const quickly = { env: { ...process.env, GZIP: '-1' } }
	execFileSync('sh', ['-c', 'umask 077 && tar -C "$0" -czf "$1" old', folder, archive], quickly)
	expect(statSync(archive).mode & 0o777).toBe(0o600)
	rmSync(join(folder, 'old'), { recursive: true })
	mkdirSync(join(folder, 'new'))
	execFileSync('tar', ['-C', join(folder, 'new'), '--strip-components=1', '-xzf', archive])

	const second = await startSite({ DATA_DIR: join(folder, 'new') })
	site.now = second
	expect((await fetch(second.url + address)).status).toBe(200)
	const me = await fetch(`${second.url}/api/v1/me`, { headers: { Cookie } })
	expect(await me.json()).toMatchObject({ username: 'mira.quillon' })
	expect((await fetch(`${second.url}/media/${path}-640.webp`)).status).toBe(200)
	expect(await logIn(second, password)).toContain('session')
})
