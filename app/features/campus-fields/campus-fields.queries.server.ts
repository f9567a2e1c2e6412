import { sql } from 'kysely'
import { campusFieldValues } from '~/features/campus/campus.queries.server.ts'
import type { CampusField } from '~/features/campus/campus-fields.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { CampusValues } from './reading.server.ts'

/** The fields of a member, and what decides whether they may be written. */
export interface CampusFieldsRow {
	present: Record<CampusField, string>
	/** What was delivered last. */
	delivered: CampusValues
	role: SignedIn['role']
	/** Whether the profile is hidden, or the member is suspended or leaving. */
	is_untouchable: boolean
}

/** Finds the fields of a member; undefined for an account that is gone. */
export async function findCampusFields(executor: Executor, userId: number): Promise<CampusFieldsRow | undefined> {
	const { rows } = await sql<CampusFieldsRow>`
		select ${campusFieldValues} as present, u.role,
			(select coalesce(jsonb_object_agg(f.field, f.value), '{}') from campus_fields f where f.user_id = u.id) as delivered,
			p.hidden_at is not null or u.leaves_at is not null or coalesce(u.suspended_until > now(), false) as is_untouchable
		from users u left join profiles p on p.user_id = u.id where u.id = ${userId}`.execute(executor)
	return rows[0]
}

/** Stores what was delivered, beside what was before about other fields. */
export async function writeDelivered(trx: Executor, userId: number, delivered: CampusValues): Promise<void> {
	await sql`
		insert into campus_fields (user_id, field, value)
		select ${userId}, key, value from jsonb_each_text(${JSON.stringify(delivered)}::jsonb)
		on conflict (user_id, field) do update set value = excluded.value, delivered_at = now()
		where campus_fields.value <> excluded.value`.execute(trx)
}

/**
 * Writes fields of the studies of a profile that the caller has locked; an open form with them becomes stale. Visitors no longer
 * see the studies of a member who has saved neither form: the member has not decided yet who sees them.
 */
export async function writeStudies(trx: Executor, userId: number, values: CampusValues): Promise<void> {
	const text = (field: CampusField) => sql`coalesce(${values[field] ?? null}::text, ${sql.ref(field)})`
	const number = (field: CampusField) => sql`coalesce((${values[field] ?? null}::text)::integer, ${sql.ref(field)})`
	const isUnsaved = sql`personal_version = 1 and academics_version = 1`
	await sql`
		update profiles set academics_version = academics_version + 1,
			enrol_in_branch_name = ${text('enrol_in_branch_name')}, enrolment_number = ${text('enrolment_number')},
			year_of_passing = ${number('year_of_passing')}, current_year = ${number('current_year')},
			current_semester = ${number('current_semester')},
			public_sections = case when ${isUnsaved} then array_remove(public_sections, 'academics') else public_sections end,
			personal_version = case when ${isUnsaved} then personal_version + 1 else personal_version end
		where user_id = ${userId}`.execute(trx)
}

/** Writes the name and the cohort of an account; what is undefined stays. */
export async function writeAccountFields(
	trx: Executor,
	userId: number,
	{ fullName, cohort }: Pick<CampusValues, 'fullName' | 'cohort'>,
): Promise<void> {
	await sql`
		update users set name = coalesce(${fullName ?? null}::text, name), cohort = coalesce(${cohort ?? null}::text, cohort),
			updated_at = now()
		where id = ${userId}`.execute(trx)
}
