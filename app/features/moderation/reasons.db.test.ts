import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { cast, decide, useCast } from '../../../tests/support/moderation-cast.ts'
import { getCase } from './queue.server.ts'
import { customReasons, offeredReasons, reportSubject } from './reports.server.ts'

useDatabase()
useCast()

let version = 0
const save = async (reasons: string) => {
	const { rows } = await sql<{ version: number }>`
		select version from site_settings where section = 'report-reasons'`.execute(db())
	version = rows[0]?.version ?? 1
	await saveSection(cast.admin, 'report-reasons', { reasons, version: String(version) })
}
const named = () => ({ kind: 'query', name: String(cast.query) })
const labels = () => offeredReasons().map(({ label }) => label)

test('default reasons are offered until the site has its own; archived ones are not', async () => {
	expect(labels()).toEqual(['Spam', 'Off-topic', 'Abusive', 'Something else'])
	expect(customReasons()).toBeUndefined()
	await save('Plagiarism: It is copied without a source.\n- Off-topic: It does not belong here.\nspam: Advertising.')
	expect(labels()).toEqual(['Plagiarism', 'Spam', 'Something else'])
	expect(customReasons()?.[0]).toEqual({
		value: 'plagiarism',
		label: 'Plagiarism',
		hint: 'It is copied without a source.',
	})
	for (const reason of ['off-topic', 'nothing'])
		await expect(reportSubject(cast.member, named(), { reason })).rejects.toMatchObject({
			fields: { reason: 'Choose one of these reasons: Plagiarism, Spam, Something else.' },
		})
})

test('reasons can be in any script, and differ in any letter', async () => {
	await save('साहित्यिक चोरी: बिना स्रोत की नकल।\nC का नियम: क\nC की भाषा: ख\nÉtat d’urgence: E')
	const values = offeredReasons().map(({ value }) => value)
	expect(values).toEqual(['साहित्यिक-चोरी', 'c-का-नियम', 'c-की-भाषा', 'etat-durgence', 'other'])
	await reportSubject(cast.member, named(), { reason: 'c-की-भाषा' })
	expect((await getCase(cast.admin, named())).reports[0]?.reasonLabel).toBe('C की भाषा')
})

test('a report keeps its reason when the list changes', async () => {
	await save('Plagiarism: It is copied without a source.')
	await reportSubject(cast.member, named(), { reason: 'plagiarism' })
	await reportSubject(cast.moderator, named(), { reason: 'other', details: 'It is wrong.' })
	await save('Copied: It stands elsewhere.')
	const { reports } = await getCase(cast.admin, named())
	expect(reports.map(({ reason, reasonLabel }) => [reason, reasonLabel])).toEqual([
		['other', 'Something else'],
		['other', 'Plagiarism'],
	])
	await decide(cast.moderator, 'query', cast.query, 'dismiss')
})

test.each([
	['two of the same', 'Spam: a\nspam: b', '“spam” stands there twice.'],
	['a line without a reason', ': only a sentence', /^Each line begins with a reason/],
	['one that is too long', `${'x'.repeat(41)}: y`, /at most 40 characters\.$/],
	[
		'a sentence that is too long',
		`Short: ${'y'.repeat(151)}`,
		'What stands behind “Short” may have at most 150 characters.',
	],
	['too many', Array.from({ length: 13 }, (_, index) => `Reason ${index}`).join('\n'), 'Name at most 12 reasons.'],
])('%s are refused', async (_what, reasons, message) => {
	await expect(save(reasons)).rejects.toThrow(message)
})
