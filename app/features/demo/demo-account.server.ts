import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoEmails as emails } from '~/features/accounts/registration/demo-accounts.server.ts'

export interface DemoAccount {
	email: string
	password: string
}

/** The accounts that the login page of a demo offers. */
export interface DemoAccounts {
	member: DemoAccount
	/** null if the demo content is older than its moderator. */
	moderator: DemoAccount | null
}

const fileName = 'demo-account.txt'

/** The demo accounts; null on a site without the demo content. */
export async function demoAccounts(dataDir: string): Promise<DemoAccounts | null> {
	const text = await readFile(join(dataDir, fileName), 'utf8').catch(() => '')
	const passwordOf = (email: string) =>
		text
			.split('\n')
			.map((line) => line.split(/\s+/))
			.find(([first]) => first === email)?.[1]
	// In the file of an older site there is only the member's password.
	const member = passwordOf(emails.member) ?? text.trim()
	if (!member) return null
	const moderator = passwordOf(emails.moderator)
	return {
		member: { email: emails.member, password: member },
		moderator: moderator ? { email: emails.moderator, password: moderator } : null,
	}
}

/** Generates passwords for the demo accounts, and stores them in a file that only its owner can read. */
export async function makeDemoAccounts(dataDir: string): Promise<DemoAccounts> {
	const known = await demoAccounts(dataDir)
	if (known) return known
	const account = (email: string) => ({ email, password: randomBytes(9).toString('base64url') })
	const made = { member: account(emails.member), moderator: account(emails.moderator) }
	const lines = [
		`${made.member.email} ${made.member.password}`,
		`${made.moderator.email} ${made.moderator.password} (moderator)`,
	]
	await writeFile(join(dataDir, fileName), `${lines.join('\n')}\n`, { mode: 0o600 })
	return made
}
