import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'
import { writeHidden } from './hiding.queries.server.ts'

/** Texts of a profile; '' if not given. */
const texts =
	'phone city expertise_in university_name location enrol_in_branch_name enrolment_number university_email github linkedin leetcode portfolio hackerrank codechef geeksforgeek pronouns'.split(
		' ',
	)
const numbers = ['year_of_passing', 'current_semester', 'current_year']
/** The tables whose rows have an order per member. */
const ordered = ['experiences', 'projects', 'certificates'] as const

/**
 * Fills empty fields of the kept profile from the merged one, and appends the latter's projects, certificates and
 * experience. Nothing becomes visible to more people: of two settings, the more private one applies, and anything that
 * a moderator hid in either profile stays hidden.
 */
export async function mergeProfiles(trx: Executor, merge: Merge): Promise<void> {
	const { goneId, keptId } = merge
	for (const table of ordered) await append(trx, table, merge)
	const { rows } = await sql<{ hidden_at: Date | null; hidden_reason: string }>`
		select hidden_at, hidden_reason from profiles where user_id = ${goneId} for update`.execute(trx)
	const [gone] = rows
	if (!gone) return
	await sql`insert into profiles (user_id) select id from users where id = ${keptId} on conflict do nothing`.execute(
		trx,
	)
	if (gone.hidden_at) await writeHidden(trx, keptId, gone.hidden_reason)
	else await fillPicture(trx, merge)
	await keepPrivate(trx, merge)
	if (!gone.hidden_at) await fillTexts(trx, merge)
	await moveCampus(trx, merge)
	await sql`delete from profiles where user_id = ${goneId}`.execute(trx)
}

async function append(trx: Executor, table: (typeof ordered)[number], { goneId, keptId }: Merge): Promise<void> {
	const kept = sql`from ${sql.table(table)} where user_id = ${keptId}`
	const pins = table === 'experiences' ? sql`` : sql`, pinned = pinned and not exists (select ${kept} and pinned)`
	await sql`
		update ${sql.table(table)} set position = position + (select coalesce(max(position), -1) + 1 ${kept})${pins}
		where user_id = ${goneId}`.execute(trx)
}

/** Takes over the picture if the kept profile has none. */
async function fillPicture(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`
		update users kept set image = gone.image from users gone, profiles
		where kept.id = ${keptId} and gone.id = ${goneId} and kept.image is null and gone.image is not null
			and profiles.user_id = kept.id and profiles.hidden_at is null`.execute(trx)
}

async function keepPrivate(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`
		update profiles kept set listed = kept.listed and gone.listed, public_page = kept.public_page and gone.public_page,
			noindex = kept.noindex or gone.noindex, show_presence = kept.show_presence and gone.show_presence,
			show_phone = kept.show_phone and (kept.phone <> '' or gone.show_phone),
			only_me = array(select unnest(kept.only_me) union select unnest(gone.only_me) order by 1),
			public_sections = array(select unnest(kept.public_sections) intersect select unnest(gone.public_sections) order by 1),
			first_steps_dismissed = kept.first_steps_dismissed or gone.first_steps_dismissed
		from profiles gone where kept.user_id = ${keptId} and gone.user_id = ${goneId}`.execute(trx)
}

async function fillTexts(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const filled = [
		...texts.map(
			(name) =>
				sql`${sql.ref(name)} = case when ${sql.ref(`kept.${name}`)} = '' then ${sql.ref(`gone.${name}`)} else ${sql.ref(`kept.${name}`)} end`,
		),
		...numbers.map((name) => sql`${sql.ref(name)} = coalesce(${sql.ref(`kept.${name}`)}, ${sql.ref(`gone.${name}`)})`),
	]
	const together = (empty: ReturnType<typeof sql>, names: readonly string[]) =>
		names.map(
			(name) =>
				sql`${sql.ref(name)} = case when ${empty} then ${sql.ref(`gone.${name}`)} else ${sql.ref(`kept.${name}`)} end`,
		)
	filled.push(
		...together(sql`kept.about = ''`, ['about', 'about_html']),
		...together(sql`kept.status_line = ''`, ['status_line', 'status_until']),
		...together(sql`kept.open_to = '{}'`, ['open_to', 'open_until']),
	)
	await sql`
		update profiles kept set ${sql.join(filled)}, personal_version = kept.personal_version + 1,
			academics_version = kept.academics_version + 1, social_version = kept.social_version + 1
		from profiles gone where kept.user_id = ${keptId} and gone.user_id = ${goneId}`.execute(trx)
}

/**
 * A confirmed university address is unique, so it is removed from one profile before it is added to the other. A member who has
 * left the university gets none.
 */
async function moveCampus(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const { rows } = await sql<{ university_email: string; campus_name: string; at: string }>`
		with before as (select university_email, campus_name, campus_verified_at::text as at from profiles
			where user_id = ${goneId} and campus_verified_at is not null)
		update profiles set campus_verified_at = null from before where user_id = ${goneId} returning before.*`.execute(trx)
	const [mark] = rows
	if (!mark) return
	await sql`
		update profiles set university_email = ${mark.university_email}, campus_name = ${mark.campus_name},
			campus_verified_at = ${mark.at}::timestamptz, campus_reminded_at = null
		where user_id = ${keptId} and not exists (select from users where id = ${keptId} and left_campus_at is not null)
			and (campus_verified_at is null
			or campus_verified_at <= now() - interval '365 days' and campus_verified_at < ${mark.at}::timestamptz)`.execute(
		trx,
	)
}
