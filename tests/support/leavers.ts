import { sql } from 'kysely'
import { expect } from 'vitest'
import { claimUsername } from '~/features/accounts/accounts.queries.server.ts'
import { getCategoryDetail, saveCategory } from '~/features/administration/categories/categories.server.ts'
import { changeRole } from '~/features/administration/members/acts.server.ts'
import { saveDraft } from '~/features/asking/drafts.server.ts'
import { saveBookmark, saveBookmarkNote } from '~/features/bookmarks/bookmarks.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { followQuestion } from '~/features/following/following.server.ts'
import { saveSearch } from '~/features/following/searches.server.ts'
import '~/features/index.server.ts'
import { makeInvite } from '~/features/invites/joining/invites.server.ts'
import { makeList } from '~/features/invites/lists/lists.server.ts'
import { publishLegal } from '~/features/legal/legal.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { addNote } from '~/features/moderation/handling/handling.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { savePersonal } from '~/features/profile-editor/editing.server.ts'
import { addExperience } from '~/features/profile-editor/items.server.ts'
import { getSection, saveSection } from '~/features/site-settings/site-settings.server.ts'
import { describeTag } from '~/features/tags/tags.server.ts'
import { inviteToAnswer } from '~/features/upkeep/invitations.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMessage } from '../factories/chat.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import type { Leaver } from './leaver-addresses.ts'
import { logInAgain, logInMember, type MembersSite } from './members-site.ts'
import { digitsOf, insertPushSubscription, type Planted, type PlantedWords, plantEverything } from './planted-member.ts'

/* Members who leave a running site, and those they had to do with. */

const roles = { peer: 'member', other: 'member', moderator: 'moderator', admin: 'admin', chief: 'admin' } as const

export type Role = keyof typeof roles

/** Members who stay, with their cookies. */
export interface Remaining {
	members: Record<Role, SignedIn>
	cookies: Record<string, string>
}

/** Creates those who stay: two members, of whom `peer` talks with everybody, a moderator, and two admins. */
export async function makeStayingMembers(site: MembersSite): Promise<Remaining> {
	const members: Partial<Record<Role, SignedIn>> = {}
	const cookies: Record<string, string> = { visitor: '' }
	for (const [name, role] of Object.entries(roles)) {
		const { member, cookie } = await logInMember(site, name, role)
		await complete(member)
		members[name as Role] = member
		cookies[name] = cookie
	}
	const { peer } = members as Record<Role, SignedIn>
	// Can answer questions about testing.
	await savePersonal(peer, 'peer', { fullName: 'Peer', about: '', skills: 'Testing', version: 1 })
	return { members: members as Record<Role, SignedIn>, cookies }
}

/** Creates what a registration does besides the account. */
async function complete(member: SignedIn): Promise<void> {
	await claimUsername(member.username)
	await sql`insert into profiles (user_id) values (${member.id}) on conflict do nothing`.execute(db())
	await sql`update counters set value = value + 1 where name = 'members'`.execute(db())
}

/**
 * Creates a member with data everywhere, mentioned by others, and renamed.
 * @param names the usernames: the first and the present one
 * @param plan.role as which they also write
 * @param plan.renamedBy who renames them
 * @param plan.keepsTexts whether their texts will stay
 */
export async function plant(
	site: MembersSite,
	{ members, cookies }: Remaining,
	[before, username]: [string, string],
	words: PlantedWords,
	plan: { role: 'moderator' | 'admin'; renamedBy: 'self' | 'admin'; keepsTexts: boolean },
): Promise<{ leaver: Leaver; cookie: string }> {
	const { member } = await logInMember(site, before)
	await complete(member)
	// Suspending ends sessions and tokens, so it comes first.
	for (const act of ['suspend', 'lift']) {
		const why = `As @${before} knows, see /find-dev/${before}.`
		await decideCase(members.moderator, { kind: 'profile', name: before, act }, { why, time: '1 day' })
	}
	const planted = await plantEverything(member, members, words)
	await entangle(members, member, words, planted)
	await sql`update users set role = ${plan.role} where id = ${member.id}`.execute(db())
	await actAsStaff({ ...member, role: plan.role }, members.peer, words)
	await sql`update users set second_email = ${`${words.own}@home.example`} where id = ${member.id}`.execute(db())
	const cookie = await logInAgain(site, before)
	const renamed =
		plan.renamedBy === 'self'
			? await site.ask('/settings/username', cookie, { username })
			: await site.ask(`/admin/members/${before}`, cookies.admin ?? '', {
					intent: 'rename',
					username,
					why: `As @${before} asked`,
				})
	expect([renamed.status, await renamed.text()]).toEqual([303, ''])
	const hashes = Object.entries(planted.pictures)
		.filter(([kind]) => !plan.keepsTexts || kind !== 'post')
		.map(([, path]) => path.slice(path.lastIndexOf('/') + 1))
	const { rows } = await sql<{ username: string; name: string }>`
		select username, name from users where pseudonym_of = ${member.id}`.execute(db())
	const pseudonyms = rows.flatMap((row) => [row.username, row.name])
	const answer = await (await site.ask('/answer', cookies.peer ?? '')).text()
	const markers = [...(plan.keepsTexts ? [] : [words.texts]), words.own, ...words.name.split(' '), before, username]
	await insertPushSubscription(member, words)
	const hidden = [digitsOf(words.own), hex(words.own), hashToken(`${before}@campus.example`)]
	const leaver = {
		...{ member: { ...member, username }, words, planted, usernames: [before, username], ids: await idsOf(words) },
		feed: /\/answer\/feed\.atom\?key=[\w.-]+/.exec(answer)?.[0] ?? '',
		marks: [...markers, ...pseudonyms, ...hashes, ...hidden].map((mark) => mark.toLowerCase()),
	}
	return { leaver, cookie }
}

/** Creates what others wrote and did about a member. */
async function entangle(
	{ peer, other, moderator, admin }: Remaining['members'],
	{ username }: SignedIn,
	words: PlantedWords,
	planted: Planted,
): Promise<void> {
	const [question, hidden, quiet] = planted.questions
	const mention = `@${username}, see /find-dev/${username}`
	await makeComment(peer, planted.answered.id, `So says ${mention}`)
	const unseen = await makeComment(peer, quiet?.id ?? 0, 'Hidden soon.')
	await decideCase(moderator, { kind: 'comment', name: String(unseen), act: 'hide' }, { why: `As ${mention} says.` })
	await saveBookmark(peer, { kind: 'query', id: question?.id ?? 0 })
	await saveBookmarkNote(peer, { kind: 'query', id: question?.id ?? 0 }, { note: `By ${mention}` })
	await saveSearch(peer, { kind: 'queries', query: `user:${username}`, name: `All of @${username}` })
	const draft = { title: 'Draft', description: mention, tags: 'testing', category: 'others', version: 0 }
	const asked = await makeQuestion(peer)
	await saveDraft(peer, { key: `edit:${asked.id}`, ...draft })
	await addExperience(peer, peer.username, { kind: 'work', organisation: 'Lamp Works', summary: `With ${mention}` })
	await makeMessage(peer, other, `Do you know ${mention}?`)
	await inviteToAnswer(peer, asked.id, username)
	await followQuestion(peer, question?.id ?? 0, true)
	await setBlocked(other, username, true)
	await reportSubject(other, { kind: 'profile', name: username }, { reason: 'other', details: `About ${mention}` })
	await reportSubject(
		peer,
		{ kind: 'query', name: String(question?.id) },
		{ reason: 'other', details: `About ${mention}` },
	)
	await addNote(moderator, { kind: 'query', name: String(question?.id) }, { note: `About ${mention} again` })
	await addNote(moderator, { kind: 'profile', name: username }, { note: `${words.name} wrote ${words.texts}` })
	await decideCase(moderator, { kind: 'query', name: String(hidden?.id), act: 'unmask' }, { why: 'A threat.' })
	// The first address has an account and is skipped; the other one is invited.
	const addresses = `${username}@campus.example\n${words.own}@home.example`
	await makeList(admin, { days: '7', cohort: '', addresses })
	for (const missed of [words.name, username, 'how to fish'])
		await sql`insert into missed_searches (words) values (${missed.toLowerCase()}) on conflict do nothing`.execute(db())
}

/** Creates what staff write about the site and about others, with their own names in it. */
async function actAsStaff(staff: SignedIn, peer: SignedIn, words: PlantedWords): Promise<void> {
	const mention = `Ask @${staff.username}, or see /find-dev/${staff.username}`
	const asked = await makeQuestion(peer, { tags: 'testing' })
	await decideCase(staff, { kind: 'query', name: String(asked.id), act: 'hide' }, { why: mention })
	await describeTag(staff, 'testing', { description: mention })
	if (staff.role !== 'admin') return
	await describeTag(staff, words.texts, { description: mention })
	const { version, settings } = await getSection(staff, 'announcement')
	const stored = Object.fromEntries(settings.map(({ field, text }) => [field, text]))
	// Not visible yet, as an announcement is shown on every page.
	const announcement = { text: mention, url: `/find-dev/${staff.username}`, from: '2099-01-01', audience: 'staff' }
	await saveSection(staff, 'announcement', { ...stored, ...announcement, version: String(version) })
	await publishLegal(staff, 'imprint', { body: mention, note: mention, version: '0' })
	await makeInvite(staff, { uses: '5', days: '7', cohort: mention })
	const { category } = await getCategoryDetail(staff, 1)
	const { title, slug, asking } = category
	await saveCategory(staff, 1, { title, slug, asking, description: mention, version: String(category.version) })
	await makeList(staff, { days: '7', cohort: mention, addresses: 'somebody@campus.example' })
	await sql`insert into setup_marks (step, note, marked_by)
		values ('mail', ${`A letter to ${words.own}@home.example`}, ${staff.id})`.execute(db())
	await changeRole(staff, peer.username, { role: 'moderator', why: mention })
	await changeRole(staff, peer.username, { role: 'member', why: mention })
}

const hex = (word: string) => Buffer.from(word).toString('hex')

async function idsOf({ own }: PlantedWords): Promise<Leaver['ids']> {
	const { rows } = await sql<Leaver['ids']>`
		select (select id from vocabulary_terms where name ilike ${own}) as term, (select max(id) from invite_lists) as list,
			(select max(id) from saved_searches) as search`.execute(db())
	if (!rows[0]) throw new Error('Nothing was planted.')
	return rows[0]
}
