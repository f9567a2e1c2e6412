import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface DemoAccount {
	email: string
	password: string
}

const email = 'mira.quillon@eastmere.example'
const fileName = 'demo-account.txt'

/** The account that a newcomer may log in with, or null when this site was made without the demo content. */
export async function demoAccount(dataDir: string): Promise<DemoAccount | null> {
	const password = await readFile(join(dataDir, fileName), 'utf8').catch(() => null)
	return password ? { email, password: password.trim() } : null
}

/** Makes a password for the demo account and keeps it in the data directory, readable by its owner alone. */
export async function makeDemoAccount(dataDir: string): Promise<DemoAccount> {
	const known = await demoAccount(dataDir)
	if (known) return known
	const password = randomBytes(9).toString('base64url')
	await writeFile(join(dataDir, fileName), `${password}\n`, { mode: 0o600 })
	return { email, password }
}
