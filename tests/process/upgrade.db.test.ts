import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { readDueQuestions, recordOpened } from '~/features/related/related.queries.server.ts'
import { findRelated } from '~/features/related/related.server.ts'
import { previewStartSet } from '~/features/terms/preview.server.ts'
import { type LoadFigures, startLoad } from '../faults/load.ts'
import { hasServers } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { type MembersSite, startOnTestDatabase, testDatabaseUrl } from '../support/members-site.ts'
import { openNginx } from '../support/nodes-behind-nginx.ts'
import { compare, type Difference, type KnownDifference } from '../support/upgrade/comparison.ts'
import { listFixtures, loadFixture, unpackFiles, vocabularyOf } from '../support/upgrade/fixture.ts'
import { Member } from '../support/upgrade/life.ts'
import { loggedInBefore, restoreDump } from '../support/upgrade/old-site.ts'
import { logInReaders, readAddress } from '../support/upgrade/readings.ts'

/*
 * A site of an earlier commit is upgraded: starting today's site migrates its database, and every reader sees what they saw before. Behind
 * nginx, no request fails meanwhile. scripts/make-upgrade-fixture.ts makes such a site.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const secret = 'a secret that only these tests know of'

/** Intended differences. An entry that matches nothing fails the test. */
const knownDifferences: Record<string, KnownDifference[]> = {
	'3b8882c': [
		{
			address: /^\/api\/v1\/queries\?q=/,
			line: /^[-+] \.rows\[\d+\]\.excerptHtml = /,
			reason: 'Excerpts no longer show the marks of tables and the languages of code blocks.',
		},
		{
			address: /^\/suggest\/people/,
			line: /^([-+] \.suggestions has|- \.suggestions\[\d+\]\.)/,
			reason: 'Authors of imported texts are not suggested as people to mention.',
		},
		{
			address: /^\/find-dev\?q=delft$/,
			line: /^(- 0|\+ [123]|\+ \/(media\/profiles|find-dev)\/nora\S*|\+ https:\/\/github\.com\/nora-vandermeer)$/,
			reason: 'Members find people by their city.',
		},
		{
			address: /^\/forum(\?view=active)?$/,
			line: /^[-+] 7,?066$/,
			reason: 'The number of all queries has a comma.',
		},
		{
			address: /^\/find-dev$/,
			line: /^(- 0|\+ 1)$/,
			reason: 'Readers count as online themselves.',
		},
		{
			address: /^\/find-dev$/,
			line: /^\+ [123]$/,
			reason: 'Members with many skills show how many more there are.',
		},
		{
			address: /^\/(api\/v1\/me\/conversations|messages\/latest|messages\/nora)$/,
			line: /^[-+] (\S+lastSeenAt = .*|2\S+Z)$/,
			reason: 'Whom a member blocks no longer sees when that member was here.',
		},
		{
			address: /^\/find-dev\?/,
			line: /^\+ (rust|React|mentoring|delft)$/,
			reason: 'Members can save what they search for, under that name.',
		},
		{
			address: /^\/forum/,
			line: /^\+ \/forum\S*view=unsolved$/,
			reason: 'Lists have a tab for what has comments and no solution.',
		},
		{
			address: /^\/settings$/,
			line: /^\+ chosen$/,
			reason: 'Members are told of more kinds of things, and choose of each how.',
		},
		{
			address: /^\/moderation\/log$/,
			line: /^\+ chosen$/,
			reason: 'The log is filtered by actions.',
		},
		{
			address: /^\/settings$/,
			line: /^\+ \/find-dev\/ines$/,
			reason: 'The settings list whom a member blocks.',
		},
		{
			address: /^\/settings$/,
			line: /^\+ chosen$/,
			reason: 'Members may be told of queries that they may know the answer to.',
		},
		{
			address: /^\/moderation\/log$/,
			line: /^\+ chosen$/,
			reason: 'The log is filtered by actions.',
		},
		{
			address: /^\/api\/v1\/moderation\/(cases|profile)/,
			line: /^[-+] (\.rows\[\d+\])?\.print = /,
			reason: 'What stands for the text of a post is a longer hash.',
		},
		{
			address: /^\/api\/v1\/moderation\/cases/,
			line: /^[-+] \.rows\[\d+\]\.acts(\[\d+\] =| has) /,
			reason: 'Moderators can pin a query.',
		},
		{
			address: /^\/moderation\/profile\//,
			line: /^\+ \/moderation\/account\/\w+$/,
			reason: 'Moderators can hide everything of an account in one act.',
		},
		{
			address: /^\/api\/v1\/moderation\/profile\/sol$/,
			line: /^[-+] \.acts/,
			reason: 'Moderators can hide a profile and clear it.',
		},
		{
			address: /^\/(api\/v1\/me\/notifications|notifications\/latest)/,
			line: /^[-+] \.rows\[\d+\]\.words = /,
			reason: 'The decisions of moderators have other words.',
		},
		{
			address: /^\/notifications$/,
			line: /^(\+ \/notifications\/\d+|- \/\S+)$/,
			reason: 'An unread notification is linked by way of an address that marks it as read.',
		},
		{
			address: /^\/(api\/v1\/me\/conversations|messages)/,
			line: /^([-+] \S+\.unread = [01]|- 1)$/,
			reason: 'Nothing of a member whom the reader blocks is unread.',
		},
		{
			address: /^\/api\/v1\/me\/messages\?q=/,
			line: /^[-+] \.rows\[\d+\]\.passage/,
			reason: 'Passages of found messages show the text without its Markdown.',
		},
		{
			address: /^\/api\/v1\/(queries|comments)/,
			line: /^- \S*\.withheld(\.\w+)? = /,
			reason: 'What was called `withheld` is called `unpublished`.',
		},
		{
			address: /^\/api\/v1\/moderation\//,
			line: /^- \S*\.withheldReason = /,
			reason: 'What was called `withheldReason` is called `statusReason`.',
		},
		{
			address: /^\/forum\?q=/,
			line: /^[-+] (\/forum\/(category\/[\w-]+|[\w-]+\/[\w.-]+\/\d+)|\d+\.?)$/,
			reason:
				'A search ranks otherwise: the invented questions of this site have hundreds of nearly equal matches for a word.',
		},
		{
			address: /^\/suggest\/similar/,
			line: /^[-+] \.rows\[\d\]\.(id|url|title|titleHtml|score|solved|commentCount) = /,
			reason: 'Similar questions are ranked by the words of their whole text.',
		},
		{
			address: /^\/api\/v1\/me\/conversations\//,
			line: /^- \.marks\./,
			reason: 'What was called `marks` is called `receipts`.',
		},
		{
			address: /^\/messages\/latest$/,
			line: /^- \.notices = /,
			reason: 'What was called `notices` is called `notifications`.',
		},
		{
			address: /^\/forum(\/(category|tag)\/[\w-]+)?(\?.*)?$/,
			line: /^- \d+$/,
			reason: 'The votes and comments of a question stand once in its row, not once for each width.',
		},
		{
			address: /^\/api\/v1\/synonyms$/,
			line: /^[-+] \.rows/,
			reason: 'Terms have more spellings than tags had synonyms.',
		},
		{
			address: /^\/(api\/v1\/(queries|tags)|forum\/tags)/,
			line: /(winforms|windows-forms)"?$/,
			reason: 'The invented questions have the tag winforms, which is a spelling of windows-forms.',
		},
		{
			address: /^\/forum\/tags$/,
			line: /^([-+] \d+\.?|- \/forum\/tag\/[\w.%-]+)$/,
			reason: 'Moderators see those synonyms there that were added on their site; the others stand at the terms.',
		},
		{
			address: /^\/suggest\/tags/,
			line: /^[-+] \.suggestions/,
			reason: 'Tags are suggested that nobody used yet, as terms.',
		},
		{
			address: /^\/(find-dev|my-profile)\/[\w.-]+(\?.*)?$/,
			line: /^\+ (\d+|\/(find-dev|my-profile)\/[\w.-]+(\?(posts|tab)=\w+)?|\/forum\/comment\/\d+|\/skills\/evidence)$/,
			reason: 'Profiles show what skills rest on, and list answers and solutions.',
		},
		{
			address: /^\/(find-dev|my-profile)\/[\w.-]+(\?.*)?$/,
			line: /^[-+] (\/find-dev\?skill=\S+|\d+)$/,
			reason: 'Skills with evidence come first.',
		},
		{
			address: /^\/edit-profile\/[\w.-]+$/,
			line: /^\+ /,
			reason: 'Members choose of which skills others see the evidence.',
		},
		{
			address: /^\/forum\/[\w-]+\/[\w.-]+\/\d+/,
			line: /^\+ (\/forum\/[\w-]+\/[\w.-]+\/\d+|\d+)$/,
			reason: 'Beside a query stand others that ask something alike.',
		},
		{
			address: /^\/find-dev\/[\w.-]+(\?.*)?$/,
			line: /^\+ \/find-dev\/[\w.-]+\/feed\.atom$/,
			reason: 'Profiles have a feed.',
		},
		{
			address: /^\/api\/v1\/queries\/\d+$/,
			line: /^(- \.mayDelete = false|\+ \.mayDelete = true)$/,
			reason: 'The author of a merged query can delete it.',
		},
		{
			address: /^\/find-dev\/[\w.-]+\.json$/,
			line: /^(- .*"collaborating"|\+ .*"teammates")$/,
			reason: 'What was called collaborating is called teammates.',
		},
	],
}

test('there is a site to upgrade', () => {
	expect(listFixtures()).toEqual(Object.keys(knownDifferences))
})

/** Computes related questions before reading, as the job does within a minute after somebody opens one. */
async function findRelatedTo(addresses: string[]): Promise<void> {
	const ids = new Set(addresses.flatMap((address) => /^\/forum\/[\w-]+\/[\w.-]+\/(\d+)/.exec(address)?.[1] ?? []))
	for (const id of ids) await recordOpened(Number(id))
	while ((await readDueQuestions(1, 1)).length > 0) await findRelated(false)
}

describe.each(listFixtures())('the site of commit %s', (commit) => {
	useDatabase('template0')
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-upgrade-'))
	const before = loadFixture(commit)
	let site: Pick<MembersSite, 'url' | 'stop'>
	let meanwhile: LoadFigures | undefined
	let preview: Awaited<ReturnType<typeof previewStartSet>>

	beforeAll(async () => {
		await restoreDump(before.dump)
		preview = await previewStartSet()
		unpackFiles(dataDir, before.files)
		const settings = { DATA_DIR: dataDir, PAGE_CACHE_MB: '0' }
		if (!hasServers) {
			site = await startOnTestDatabase(undefined, settings)
			return
		}
		const nginx = await openNginx({ ...settings, DATABASE_URL: await testDatabaseUrl(), AUTH_SECRET: secret }, root, 1)
		site = nginx
		const members = await loggedInBefore(nginx.url, secret)
		const cookies = members.flat().map(({ cookie }) => cookie)
		const load = startLoad([nginx.url], { clients: 12, patienceMs: 120_000, cookies })
		await nginx.start()
		meanwhile = await load.stop()
	})

	afterAll(async () => {
		await site?.stop()
		rmSync(dataDir, { recursive: true, force: true })
	})

	test.skipIf(!hasServers)('whoever comes while the tables are remade waits, and is answered', () => {
		expect(meanwhile).toMatchObject({ failed: {}, refused: 0 })
		expect(meanwhile?.sent).toBeGreaterThanOrEqual(12)
	})

	test('words are respelled as the preview listed', async () => {
		const shown = preview.map(({ renames }) => renames.map(({ word, name }) => `${word} → ${name}`))
		expect(shown).toMatchObject([
			expect.arrayContaining(['Vue → Vue.js', 'Data structures → Data Structures']),
			expect.arrayContaining(['Airflow → Apache Airflow']),
			['winforms → windows-forms'],
		])
		expect((await previewStartSet()).flatMap(({ renames }) => renames)).toEqual([])
	})

	test('readers see after the upgrade what they saw before', async () => {
		await findRelatedTo(before.readings.map(({ address }) => address))
		const vocabulary = vocabularyOf(before.dump)
		const members = await logInReaders(before.people, (account) => new Member(site.url, account).logIn())
		const visitor = new Member(site.url, { email: '', password: '' })
		const differences: Difference[] = []
		for (const reading of before.readings)
			differences.push(
				...compare(reading, await readAddress({ ...members, visitor }, reading, vocabulary), before.dumpedAt),
			)
		const known = knownDifferences[commit] ?? []
		const isKnown = ({ address, line }: Difference) =>
			known.filter((one) => one.address.test(address) && one.line.test(line))
		const unexplained = differences.filter((difference) => isKnown(difference).length === 0)
		expect(unexplained.map(({ reader, address, line }) => `${reader} ${address}: ${line}`)).toEqual([])
		const found = new Set(differences.flatMap(isKnown))
		expect(known.filter((one) => !found.has(one))).toEqual([])
	})
})
