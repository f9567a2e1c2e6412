import { type RawBuilder, sql } from 'kysely'
import {
	type ItemTable,
	itemsFor,
	MAX_ITEMS_SHOWN,
	type ProfileReader,
} from '~/features/profiles/profiles.queries.server.ts'
import type { TermSource, UsedWord } from '~/features/terms/sources.server.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { ProjectInput, StoredCertificate } from './profile.schema.ts'

/** Locks the member against concurrent additions, and counts their items. */
export async function countItems(trx: Executor, table: ItemTable, userId: number): Promise<number> {
	await sql`select 1 from users where id = ${userId} for update`.execute(trx)
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from ${sql.table(table)} where user_id = ${userId}`.execute(trx)
	return rows[0]?.count ?? 0
}

export interface CertificateEditRow extends StoredCertificate {
	version: number
}

/** A certificate of this member, with the fields of its form. */
export async function findCertificate(
	userId: number,
	id: string,
	executor: Executor = db(),
): Promise<CertificateEditRow | undefined> {
	const { rows } = await sql<CertificateEditRow>`
		select certificate_title, certificate_url, certificate_image, certificate_issue_date::text as certificate_issue_date,
			certificate_expire_date::text as certificate_expire_date, credential_verification_link, version
		from certificates where user_id = ${userId} and certificate_id = ${id}::uuid`.execute(executor)
	return rows[0]
}

/** Adds a certificate at the end of the member's list. */
export async function insertCertificate(trx: Executor, userId: number, input: StoredCertificate): Promise<void> {
	await sql`
		insert into certificates (user_id, certificate_title, certificate_url, certificate_image, certificate_issue_date,
			certificate_expire_date, credential_verification_link, position)
		select ${userId}, ${input.certificate_title}, ${input.certificate_url}, ${input.certificate_image},
			${input.certificate_issue_date}::date, ${input.certificate_expire_date}::date,
			${input.credential_verification_link}, coalesce(max(position) + 1, 0)
		from certificates where user_id = ${userId}`.execute(trx)
}

/** Replaces a certificate of this member if the version matches. @returns whether it did */
export async function updateCertificate(
	trx: Executor,
	userId: number,
	id: string,
	version: number,
	input: StoredCertificate,
): Promise<boolean> {
	const { rows } = await sql`
		update certificates set version = version + 1, certificate_title = ${input.certificate_title},
			certificate_url = ${input.certificate_url}, certificate_image = ${input.certificate_image},
			certificate_issue_date = ${input.certificate_issue_date}::date,
			certificate_expire_date = ${input.certificate_expire_date}::date,
			credential_verification_link = ${input.credential_verification_link}
		where user_id = ${userId} and certificate_id = ${id}::uuid and version = ${version} returning 1`.execute(trx)
	return rows.length > 0
}

export interface ProjectEditRow extends ProjectInput {
	version: number
}

/** A project of this member, with the fields of its form. */
export async function findProject(
	userId: number,
	id: string,
	executor: Executor = db(),
): Promise<ProjectEditRow | undefined> {
	const { rows } = await sql<ProjectEditRow>`
		select project_title, project_description, project_image, project_tech_stack, project_date::text as project_date,
			project_source_code_link, project_deployment_link, project_demo_link, version
		from projects where user_id = ${userId} and project_id = ${id}::uuid`.execute(executor)
	return rows[0]
}

/** Adds a project at the end of the member's list. */
export async function insertProject(trx: Executor, userId: number, input: ProjectInput): Promise<void> {
	await sql`
		insert into projects (user_id, project_title, project_description, project_image, project_tech_stack, project_date,
			project_source_code_link, project_deployment_link, project_demo_link, position)
		select ${userId}, ${input.project_title}, ${input.project_description}, ${input.project_image},
			term_names(${input.project_tech_stack}::text[]), ${input.project_date}::date, ${input.project_source_code_link},
			${input.project_deployment_link}, ${input.project_demo_link}, coalesce(max(position) + 1, 0)
		from projects where user_id = ${userId}`.execute(trx)
}

/** The source code links of a member's projects. */
export async function listSourceLinks(userId: number, executor: Executor = db()): Promise<string[]> {
	const { rows } = await sql<{ link: string }>`
		select project_source_code_link as link from projects where user_id = ${userId} and project_source_code_link <> ''
		limit 200`.execute(executor)
	return rows.map(({ link }) => link)
}

/** Replaces a project of this member if the version matches. @returns whether it did */
export async function updateProject(
	trx: Executor,
	userId: number,
	id: string,
	version: number,
	input: ProjectInput,
): Promise<boolean> {
	const { rows } = await sql`
		update projects set version = version + 1, project_title = ${input.project_title},
			project_description = ${input.project_description}, project_image = ${input.project_image},
			project_tech_stack = term_names(${input.project_tech_stack}::text[]), project_date = ${input.project_date}::date,
			project_source_code_link = ${input.project_source_code_link},
			project_deployment_link = ${input.project_deployment_link}, project_demo_link = ${input.project_demo_link}
		where user_id = ${userId} and project_id = ${id}::uuid and version = ${version} returning 1`.execute(trx)
	return rows.length > 0
}

/** A member's certificates in their order, with the fields of the form. */
export async function listCertificatesToEdit(
	userId: number,
	executor: Executor = db(),
	reading: ProfileReader = 'whole',
): Promise<(CertificateEditRow & { id: string })[]> {
	const { rows } = await sql<CertificateEditRow & { id: string }>`
		select certificate_id as id, certificate_title, certificate_url, certificate_image,
			certificate_issue_date::text as certificate_issue_date, certificate_expire_date::text as certificate_expire_date,
			credential_verification_link, version
		from ${itemsFor('certificates', reading)} items where user_id = ${userId} order by pinned desc, position, certificate_id limit ${MAX_ITEMS_SHOWN}`.execute(
		executor,
	)
	return rows
}

/** A member's projects in their order, with the fields of the form. */
export async function listProjectsToEdit(
	userId: number,
	executor: Executor = db(),
	reading: ProfileReader = 'whole',
): Promise<(ProjectEditRow & { id: string })[]> {
	const { rows } = await sql<ProjectEditRow & { id: string }>`
		select project_id as id, project_title, project_description, project_image, project_tech_stack,
			project_date::text as project_date, project_source_code_link, project_deployment_link, project_demo_link, version
		from ${itemsFor('projects', reading)} items where user_id = ${userId} order by pinned desc, position, project_id limit ${MAX_ITEMS_SHOWN}`.execute(
		executor,
	)
	return rows
}

/** Projects that one statement scans, and that one transaction changes: few, as their editors wait for its locks. */
const PAGE_SIZE = 5_000
const BATCH_SIZE = 200
/** The newest projects that are searched for words that are not terms. */
const SAMPLE_SIZE = 20_000

/** The technologies of projects as a source of terms. */
export const projectTerms: TermSource = {
	nouns: ['project', 'projects'],
	async align(termId) {
		let changed = 0
		if (termId !== null)
			return alignProjects(sql`term_keys(project_tech_stack) && array(
			select key from term_spellings where term_id = ${termId})`)
		for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after; ) {
			const last = await lastOfPage(after)
			if (last) changed += await alignProjects(sql`project_id > ${after}::uuid and project_id <= ${last}::uuid`)
			after = last
		}
		return changed
	},
	async count({ keys, name }) {
		const { rows } = await sql<{ projects: number }>`
			select count(*)::int as projects from projects where term_keys(project_tech_stack) && ${keys}::text[]
				and exists (select from unnest(project_tech_stack) as word where term_key(word) = any(${keys}) and word <> ${name})`.execute(
			db(),
		)
		return rows[0]?.projects ?? 0
	},
	async countUses(keys) {
		const { rows } = await sql<{ projects: number }>`
			select count(*)::int as projects from projects where term_keys(project_tech_stack) && ${keys}::text[]`.execute(
			db(),
		)
		return rows[0]?.projects ?? 0
	},
	async listUnknown(limit) {
		const { rows } = await sql<UsedWord>`
			select word, uses from (
				select word, count(*)::int as uses
				from (select project_tech_stack from projects order by created_at desc limit ${SAMPLE_SIZE}) newest, unnest(project_tech_stack) as word
				group by word) used
			where not exists (select from term_spellings where key = term_key(word) and term_id is not null)
			order by uses desc, word limit ${limit}`.execute(db())
		return rows
	},
}

async function lastOfPage(after: string): Promise<string | null> {
	const { rows } = await sql<{ last: string | null }>`
		select (array_agg(project_id order by project_id desc))[1]::text as last from (
			select project_id from projects where project_id > ${after}::uuid order by project_id limit ${PAGE_SIZE}) looked_at`.execute(
		db(),
	)
	return rows[0]?.last ?? null
}

/** Respells the technologies of these projects by their terms. The version stays, so that open forms do not conflict. */
async function alignProjects(where: RawBuilder<unknown>): Promise<number> {
	const { rows } = await sql<{ id: string }>`
		select project_id::text as id from projects
		where ${where} and project_tech_stack <> term_names(project_tech_stack) order by project_id`.execute(db())
	const ids = rows.map(({ id }) => id)
	for (let from = 0; from < ids.length; from += BATCH_SIZE) {
		const some = sql`project_id = any(${ids.slice(from, from + BATCH_SIZE)}::uuid[])`
		await db()
			.transaction()
			.execute(async (trx) => {
				await lockTermsShared(trx)
				// The members first, like every writer of an item: their documents are rebuilt at the commit.
				await sql`
					select from users where id in (select user_id from projects where ${some}) order by id for no key update`.execute(
					trx,
				)
				await sql`update projects set project_tech_stack = term_names(project_tech_stack) where ${some}`.execute(trx)
			})
	}
	return ids.length
}
