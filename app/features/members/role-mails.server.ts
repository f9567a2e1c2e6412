import { config } from '~/config.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { listMailedAdmins, type MailedMember } from './members.queries.server.ts'

/* Mails about the roles of members. */

type Role = SignedIn['role']

const pages: Record<Role, { label: string; path: string }> = {
	member: { label: 'Open the site', path: '/' },
	moderator: { label: 'Open the pages of moderators', path: '/moderation' },
	admin: { label: 'Open the administration', path: '/admin' },
}

/**
 * Mails a member that their role has changed, and all other admins if it is or was that of an admin. Call it in the transaction.
 * @param reason a clause, such as “as an admin decided”
 */
export async function mailRoleChange(
	trx: Executor,
	userId: number,
	{ from, to }: { from: Role; to: Role },
	reason: string,
): Promise<void> {
	const readers = await listMailedAdmins(trx, userId)
	const member = readers.find(({ id }) => id === userId)
	if (!member) return
	const change = `at ${siteName()} is now ${to} instead of ${from}, ${reason}.`
	const { label, path } = pages[to]
	const own = { subject: `Your role at ${siteName()} is now ${to}`, text: `Your role ${change}` }
	await mail(trx, member, { ...own, link: { label, path }, closing: 'If you do not know why, ask an admin.' })
	if (from !== 'admin' && to !== 'admin') return
	const others = {
		subject: `The role of ${member.name} at ${siteName()} is now ${to}`,
		text: `The role of ${member.name} (@${member.username}) ${change}`,
		link: { label: 'Open their page', path: `/admin/members/${member.username}` },
		closing: 'If this should not be, change the role there.',
	}
	for (const admin of readers) if (admin.id !== userId) await mail(trx, admin, others)
}

interface Words {
	subject: string
	text: string
	/** A label, and a path of this site. */
	link: { label: string; path: string }
	closing: string
}

/** Mails all admins who are neither leaving nor logged out by the university. */
export async function mailAdmins(trx: Executor, words: Words): Promise<void> {
	for (const admin of await listMailedAdmins(trx, null)) await mail(trx, admin, words)
}

async function mail(trx: Executor, { email }: MailedMember, { subject, text, link, closing }: Words): Promise<void> {
	const button = { label: link.label, url: `${config().publicUrl}${link.path}` }
	await addJob('send-mail', linkMail(email, subject, text, button, closing), trx)
}
