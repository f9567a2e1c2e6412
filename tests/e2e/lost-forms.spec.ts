import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { withoutPage } from './support/chat.ts'
import { type Account, demoEmail, enrol, enrolAdmin, expect, htmlOf, logIn, mailedLink } from './support/journey.ts'
import {
	cut,
	dialog,
	expectAlive,
	expectKept,
	type Form,
	failures,
	someFailures,
	test,
} from './support/lost-connection.ts'

/* Forms that few pages have: each with three failures, several per page load. */

test.use({ actionTimeout: 15_000 })

async function expectAllKept(page: Page, forms: Form[]): Promise<void> {
	for (const form of forms) await expectKept(page, { under: someFailures, ...form })
}

/** Submits a form as a browser without scripts does. @returns where it redirects */
async function post(page: Account, path: string, form: Record<string, string>): Promise<string> {
	const headers = { Origin: process.env.SITE_URL ?? '' }
	const answer = await page.request.post(path, { form, headers, maxRedirects: 0 })
	expect(answer.status()).toBe(303)
	return answer.headers().location ?? ''
}

const region = (name: string) => (page: Page) => page.getByRole('region', { name })
const link = (name: string | RegExp) => (page: Page) => page.getByRole('link', { name }).first().click()
const pressed = (name: string, isPressed: boolean) => (place: Locator) =>
	expect(place.getByRole('button', { name, exact: true })).toHaveAttribute('aria-pressed', String(isPressed))

/** The notification panel requests the messages by itself until they arrive. */
async function expectLatestMessages(page: Page): Promise<void> {
	const messages = dialog(page).getByRole('tabpanel', { name: /^Messages/ })
	for (const name of someFailures)
		await test.step(`the latest messages: ${name}`, async () => {
			await page.reload()
			const { failed, mend } = await cut(page, 'GET', failures[name])
			await page.getByRole('button', { name: /^Messages and notifications/ }).click()
			await dialog(page)
				.getByRole('tab', { name: /^Messages/ })
				.click()
			await failed()
			await expect(messages).toContainText('Loading...')
			await mend()
			await page.evaluate(() => window.dispatchEvent(new Event('online')))
			await expect(messages).toContainText('May I come aboard?')
			await expectAlive(page)
		})
}

test('forms with which a member edits, imports, answers and chooses', async ({ page, browser }) => {
	await logIn(page)
	const edit = `/edit-profile/${demoEmail.split('@')[0]}`
	const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: 'teal' } })
		.png()
		.toBuffer()
	const preview = page.getByAltText('The picture as it will be shown')
	const [, project = ''] = /aria-label="Edit [^"]*" href="([^"]*)"/.exec(await htmlOf(page, `${edit}/projects`)) ?? []
	await expectAllKept(page, [
		{
			at: `${edit}/certificates`,
			typed: { Title: 'Sea Rescue' },
			open: async (page) => {
				const file = { name: 'c.png', mimeType: 'image/png', buffer: picture }
				await page.locator('input[type=file]').setInputFiles(file)
				await expect(preview).toBeVisible()
			},
			press: 'Add certificate',
			kept: () => expect(preview).toBeVisible(),
			done: 'Certificate added successfully!',
		},
		{
			at: `${edit}/certificates`,
			open: async (page) => {
				await link('Edit Sea Rescue')(page)
				await expect(page.getByRole('button', { name: 'Update certificate' })).toBeVisible()
			},
			typed: { Title: 'Sea Rescue II' },
			press: 'Update certificate',
			done: 'Certificate Updated successfully!',
		},
		{
			at: `${edit}/certificates`,
			open: link('Delete Sea Rescue II'),
			within: dialog,
			press: 'Delete',
			done: 'Certificate deleted Successfully.',
		},
		{
			at: project,
			typed: { Title: 'A lifeboat', Description: 'It floats, mostly.' },
			press: 'Update project',
			done: 'Project Updated successfully!',
		},
		{
			at: `${edit}/projects`,
			open: link('Delete A lifeboat'),
			within: dialog,
			press: 'Delete',
			done: 'Project Deleted Successfully',
		},
		{
			at: `${edit}/import`,
			typed: { 'Or paste its text': '{"basics": {"label": "Lamp making", "location": {"city": "Ferryport"}}}' },
			press: 'Preview',
			done: 'Lamp making',
		},
	])
	await page.getByRole('checkbox').first().uncheck()
	await expectAllKept(page, [
		{
			at: `${edit}/import`,
			press: 'Import selected',
			kept: (place) => expect(place.getByRole('checkbox').first()).not.toBeChecked(),
			done: 'Imported: 1 change.',
		},
		{
			at: `${edit}/academics`,
			typed: { 'University email': 'mira.quillon@cs.mit.edu' },
			press: 'Save changes',
			done: 'We have emailed a link to mira.quillon@cs.mit.edu to confirm it.',
		},
		{
			at: `${edit}/change-password`,
			typed: { 'Current password': 'not mine', 'New password': 'another lantern' },
			press: 'Save new password',
			under: [],
			done: 'That is not your current password.',
		},
		{
			at: `${edit}/change-password`,
			typed: { 'Current password': 'nor this one', 'New password': 'another lantern' },
			press: 'Save new password',
		},
		{ at: '/settings/tokens', typed: { Name: 'lifeboat' }, press: 'Create token', done: 'Copy it now' },
		{
			at: '/settings/tokens',
			typed: { Name: 'second lifeboat' },
			press: 'Create token',
			kept: (place) => expect(place.getByText('Copy it now')).toBeVisible(),
		},
		{ at: `${edit}/academics`, press: 'Send a confirmation link', done: 'A link is on its way to' },
		{ at: '/settings', within: region('Access tokens'), press: 'Revoke lifeboat', done: 'Token revoked.' },
	])

	const at = await post(page, '/forum/ask', {
		title: 'Which knot holds a lifeboat?',
		description: 'I forget it each time.',
		tags: 'knots',
		category: 'others',
	})
	await post(page, at, { intent: 'comment', body: 'A bowline.' })
	const other = await withoutPage(browser)
	await logIn(other, 'odalys.fernbrook@eastmere.example')
	await post(other, at, { intent: 'comment', body: 'A cleat hitch.' })
	await post(other, at, { intent: 'comment', body: 'Or two half hitches.' })
	await other.context().clearCookies()
	// A second session of the member, and a request by a stranger.
	await logIn(other)
	await page.goto('/settings')
	await expectAllKept(page, [{ at: '/settings', press: /^Log out .+ on /, done: 'That device is logged out.' }])
	await other.context().clearCookies()
	const stranger = `/messages/${await enrol(other, 'Sella Stranger')}`
	const me = `/messages/${demoEmail.split('@')[0]}`
	await post(other, me, { intent: 'send', clientId: crypto.randomUUID(), body: 'May I come aboard?' })
	await other.context().close()
	await expectAllKept(page, [
		{ at: stranger, press: 'Accept', done: 'May I come aboard?' },
		{
			at: stranger,
			open: async (page) => {
				await page.locator('.chat-message').first().hover()
				await page.locator('.chat-message').first().getByRole('link', { name: 'Report' }).click()
			},
			within: dialog,
			typed: { 'What is wrong with it\\?': 'It sells berths.' },
			press: 'Report',
			done: 'Thank you. A moderator will look at it.',
		},
		{
			at: stranger,
			open: (page) => page.getByLabel('More about Sella Stranger').click(),
			within: (page) => page.locator('details').filter({ hasText: 'View profile' }),
			press: 'Block',
			done: 'Unblock',
		},
	])
	await expectAllKept(page, [
		{ at: '/notifications', press: /^Mark as read: /, done: 'Marked as read.' },
		{ at: '/notifications', press: 'Mark all as read', done: 'Marked as read.' },
		{
			at,
			open: (page) => page.getByRole('link', { name: 'Edit', exact: true }).first().click(),
			within: (page) => page.locator('main'),
			typed: { 'Your comment': 'A bowline, tied twice.' },
			press: 'Save',
			says: 'Something went wrong. Try again!',
			done: 'A bowline, tied twice.',
		},
		{
			at,
			open: (page) => page.getByRole('link', { name: 'Reply', exact: true }).last().click(),
			within: (page) => page.locator('main'),
			typed: { 'Reply to Odalys Fernbrook': 'Thank you both.' },
			press: 'Reply',
			says: 'Something went wrong. Try again!',
			done: 'Thank you both.',
		},
		{ at, press: 'This solved it', done: 'No longer the answer' },
		{ at, press: 'Mute this query', kept: pressed('Mute this query', false) },
	])
	await post(page, '/messages/odalys.fernbrook', { intent: 'block' })
	await expectAllKept(page, [
		{ at: '/settings', within: region('Theme'), press: 'Dark', kept: pressed('Dark', false) },
		{
			at: '/settings',
			within: (page) => page.locator('footer'),
			press: 'Light theme',
			kept: pressed('Light theme', false),
		},
		{
			at: '/settings',
			within: region('Who can write to you'),
			press: 'Verified students',
			kept: pressed('Verified students', false),
			done: 'Message setting saved.',
		},
		{
			at: '/settings',
			within: region('While you are typing'),
			press: 'Hide it',
			kept: pressed('Hide it', false),
			done: 'Typing setting saved.',
		},
		{ at: '/settings', within: region('Blocked members'), press: 'Unblock Odalys Fernbrook', done: 'Unblocked.' },
	])
	await expectLatestMessages(page)
})

test('forms of moderators and readers, and a new password', async ({ page, browser }) => {
	const asker = await withoutPage(browser)
	await logIn(asker)
	const at = await post(asker, '/forum/ask', {
		title: 'Where do lifeboats sleep?',
		description: 'Not at the quay, it seems.',
		tags: 'harbours',
		category: 'others',
	})
	const promoted = await withoutPage(browser)
	// Not the demo moderator, whom other journeys on this site need.
	const username = await enrol(promoted, 'Mona Mariner')
	await promoted.context().close()
	await enrolAdmin(page)
	const number = at.split('/')[4]
	await expectAllKept(page, [
		{ at: '/find-dev', press: 'Do not show these steps again', isGone: true },
		{ at, press: 'Vote up', kept: pressed('Vote up', false) },
		{
			at,
			open: link('Report query'),
			within: dialog,
			typed: { 'In your words': 'It sells berths.' },
			press: 'Report',
			done: 'Thank you. A moderator will look at it.',
		},
		{ at: '/forum/tag/harbours', press: 'Follow #harbours', kept: pressed('Follow #harbours', false) },
		{
			at: '/forum/tag/harbours?describe=1',
			typed: { Description: 'Where boats sleep.' },
			press: 'Save',
			done: 'Description saved.',
		},
		{
			at: '/forum/tags',
			typed: { Synonym: 'harbors', 'Main tag': 'harbours' },
			press: 'Merge tags',
			done: '#harbors is now a synonym of #harbours.',
		},
		{ at: '/forum/tags', press: 'Separate harbors from harbours', done: '#harbors is its own tag again.' },
		{
			at: '/moderation',
			within: (page) => page.getByRole('article', { name: 'Where do lifeboats sleep?' }),
			typed: { Why: 'Berths are not for sale here.' },
			press: 'Hide',
			done: 'hidden',
		},
		{
			at: `/moderation/query/${number}`,
			within: region('Decide'),
			typed: { Why: 'They are, it turns out.' },
			press: 'Restore',
			done: 'It is back in the forum.',
		},
		{
			at: '/moderation/members',
			typed: { Username: 'bram' },
			press: 'Make a moderator',
			done: 'There is no member called',
		},
		{
			at: '/moderation/members',
			typed: { Username: username },
			press: 'Make a moderator',
			under: [],
			done: 'They are now a moderator.',
		},
		{
			at: '/moderation/members',
			within: (page) => page.getByRole('listitem').filter({ hasText: 'Mona Mariner' }),
			press: /^Make a member/,
			done: 'They are now an ordinary member.',
		},
		{
			at: `/report/query/${number}`,
			typed: { 'In your words': 'Once more.' },
			press: 'Report',
			done: 'Thank you. A moderator will look at it.',
		},
	])

	// A separate member, because an address gets only a few mails an hour.
	await page.context().clearCookies()
	const address = `${await enrol(page, 'Rhea Reset')}@eastmere.example`
	await page.context().clearCookies()
	await page.goto('/forgot-password')
	await page.getByLabel('Email').fill(address)
	await page.getByRole('button', { name: 'Send Email' }).click()
	await expect(page.getByText('Password reset link is sent to your email!').first()).toBeVisible()
	let reset = ''
	await expect.poll(async () => (reset = await mailedLink(address))).toContain('/reset-password')
	const password = 'a lantern at the ford'
	await expectAllKept(page, [
		{
			at: reset,
			typed: { 'New password': password, 'Confirm Password': password },
			press: 'Save new password',
			done: 'Password updated Successfully',
		},
	])
})
