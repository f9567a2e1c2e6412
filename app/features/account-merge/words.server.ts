import { config } from '~/config.server.ts'
import { securityContact } from '~/features/site-settings/site.server.ts'
import { profilePath } from '~/lib/addresses.ts'
import { pluralize } from '~/lib/text.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import type { Merge } from '~/platform/member-data.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import type { MergePreview } from './merge.view.ts'
import { countMergeOverlap, type MergeableRow, type MergeOverlapRow } from './merging.queries.server.ts'
import { type CountedColumn, countRows, type MovedColumn } from './moving.queries.server.ts'

/* Texts of the preview of a merge, and of the mails about it. */

/** Turns the counts of two accounts into the preview that an admin confirms. @param columns with the rules of all features */
export async function previewMerge(
	gone: MergeableRow,
	kept: MergeableRow,
	columns: readonly MovedColumn[],
): Promise<MergePreview> {
	const merge: Merge = { goneId: gone.id, keptId: kept.id }
	const listed = columns
		.filter(({ called }) => called !== undefined)
		.sort((one, other) => (one.called ?? '').localeCompare(other.called ?? '', 'en'))
	const [counts, shared] = await Promise.all([countRows(listed, merge), countMergeOverlap(merge)])
	const of = (wanted: (column: MovedColumn, counts: CountedColumn) => number) =>
		listed.flatMap((column, place) => {
			const found = counts[place]
			const count = found ? wanted(column, found) : 0
			return count > 0 ? [{ label: column.called ?? '', count, rule: column.rule }] : []
		})
	const endsWith = ({ rule }: Pick<MovedColumn, 'rule'>) =>
		typeof rule === 'object' && 'ends' in rule ? rule.ends : null
	const amounts = (rows: ReturnType<typeof of>) => rows.map(({ label, count }) => ({ label, count }))
	return {
		kept: { username: kept.username, name: kept.name, image: kept.image },
		moves: [
			...amounts(of((column, { all, same }) => (endsWith(column) === null ? all - same : 0))),
			...(shared.conversations > 0 ? [{ label: 'Conversations', count: shared.conversations }] : []),
		],
		same: amounts(of((_, { same }) => same)),
		ends: of((column, { all }) => (endsWith(column) === null ? 0 : all)).map(({ label, count, rule }) => ({
			label,
			count,
			why: endsWith({ rule }) ?? '',
		})),
		facts: factsOf(gone, kept, shared),
	}
}

/** Effects that the counts do not show. */
function factsOf(gone: MergeableRow, kept: MergeableRow, shared: MergeOverlapRow): string[] {
	const [from, to] = [`@${gone.username}`, `@${kept.username}`]
	const addresses = addressesOf(gone).join(' and ')
	return [
		`${to} keeps its name, its role, its addresses and its password. What its profile leaves empty is filled from ${from}; of two settings the more private one holds.`,
		`${profilePath(gone.username)} and every earlier address of ${from} lead to ${to}. Nobody else can have the username.`,
		`${addresses} no longer ${gone.second_email ? 'let' : 'lets'} anybody log in. ${to} can add an address in the settings, by a link that is mailed to it.`,
		gone.role !== 'member' && gone.role !== kept.role
			? `${from} is ${gone.role === 'admin' ? 'an admin' : 'a moderator'}. The role ends: it never comes by a merge.`
			: '',
		gone.suspended_until ? `${from} is suspended. ${to} will be too, for the longer of both times.` : '',
		gone.hidden ? `The profile of ${from} is hidden. Its texts go, and the profile of ${to} will be hidden.` : '',
		shared.shared_conversations > 0
			? `Both talked to the same ${pluralize(shared.shared_conversations, 'member')}: of each two conversations one is made, in the order of the messages.`
			: '',
		shared.messages_between > 0
			? `They wrote ${pluralize(shared.messages_between, 'message')} to each other. That conversation is deleted, as nobody else is in it.`
			: '',
		shared.own_votes > 0
			? `${pluralize(shared.own_votes, 'vote')} for each other’s posts ${shared.own_votes === 1 ? 'is' : 'are'} taken back, as nobody votes for their own.`
			: '',
		'What either account wrote under a pseudonym stays under that pseudonym, and nobody learns whose it is.',
		'Moderators’ decisions about either account, and reports, then apply to the kept account.',
	].filter((fact) => fact !== '')
}

function addressesOf({ email, second_email }: MergeableRow): string[] {
	return second_email === null ? [email] : [email, second_email]
}

/** The mails that tell each address of both accounts about the merge, and whom to ask. */
export function mergeMails(gone: MergeableRow, kept: MergeableRow): Mail[] {
	const { publicUrl } = config()
	const subject = `Two accounts at ${siteName()} are one now`
	const link = { label: 'See the account', url: `${publicUrl}${profilePath(kept.username)}` }
	const contact = securityContact()
	const closing = `If these are not both yours, ask an admin for help${contact ? `: ${contact}` : ' at once'}.`
	const to = (address: string, text: string) => linkMail(address, subject, text, link, closing)
	const merged = `An admin merged the account @${gone.username} into @${kept.username}, as both belong to the same person.`
	const goneText = `${merged} What @${gone.username} wrote and was sent is in @${kept.username} now. This address and its password no longer let you log in: use those of @${kept.username}.`
	const keptText = `${merged} What @${gone.username} wrote and was sent is yours now. You log in as before.`
	return [
		...addressesOf(gone).map((address) => to(address, goneText)),
		...addressesOf(kept).map((address) => to(address, keptText)),
	]
}
