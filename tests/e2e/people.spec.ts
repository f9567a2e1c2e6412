import type { Browser, Page } from '@playwright/test'
import { demoEmail, demoModerator, enrol, expect, expectNoViolations, htmlOf, logIn, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* A member, a reporter who gets blocked, and a moderator. The last two also use a phone without scripts. */

const phone = { viewport: { width: 390, height: 844 }, javaScriptEnabled: false }

async function newPage(browser: Browser, options = {}): Promise<Page> {
	const baseURL = process.env.SITE_URL ?? ''
	const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options })
	return context.newPage()
}

/** The same member on a phone without scripts. */
async function onPhone(browser: Browser, page: Page): Promise<Page> {
	return newPage(browser, { ...phone, storageState: await page.context().storageState() })
}

async function ask(page: Page): Promise<string> {
	const response = await page.request.post('/forum/ask', {
		form: { title: 'How do I begin with maps?', description: 'I have none.', tags: 'maps', category: 'others' },
		headers: { Origin: process.env.SITE_URL ?? '' },
		maxRedirects: 0,
	})
	return response.headers().location ?? ''
}

test('a profile is reported, hidden, restored and cleaned up; a member is blocked and unblocked', async ({
	browser,
}) => {
	const [owner, reader, moderator] = [await newPage(browser), await newPage(browser), await newPage(browser)]
	await enrol(owner, 'Petra Plain')
	await logIn(reader, demoEmail)
	await logIn(moderator, demoModerator)

	await test.step('the owner writes something, and a member reports it', async () => {
		await owner.goto('/edit-profile/petra.plain')
		await owner.getByLabel('About me').fill('Cheap shoes at the old harbour.')
		await owner.getByRole('button', { name: 'Save' }).click()
		await expectNotice(owner, 'Profile updated successfully!')
		await reader.goto('/find-dev/petra.plain')
		await reader.getByRole('link', { name: 'Report', exact: true }).click()
		await reader.getByLabel('Spam').check()
		await reader.getByRole('button', { name: 'Report' }).click()
		await expectNotice(reader, 'Thank you. A moderator will look at it.')
	})

	await test.step('a moderator finds it in the queue and hides the profile', async () => {
		await moderator.goto('/moderation')
		await moderator.getByRole('article', { name: 'Petra Plain' }).getByRole('link', { name: 'More' }).click()
		await expect(moderator.getByRole('heading', { level: 1, name: 'Petra Plain' })).toBeVisible()
		await expectNoViolations(moderator)
		await moderator.getByRole('region', { name: 'Decide' }).getByLabel('Why').fill('It only sells shoes.')
		await moderator.getByRole('button', { name: 'Hide' }).click()
		await expectNotice(moderator, 'Hidden. Its owner sees your reason.')
	})

	await test.step('others see the names, and the owner sees the reason', async () => {
		await reader.goto('/find-dev/petra.plain')
		await expect(reader.getByText('This profile’s texts are hidden.')).toBeVisible()
		await expect(reader.getByText('Cheap shoes')).toHaveCount(0)
		await expectNoViolations(reader)
		expect(await htmlOf(owner, '/notifications')).toContain('hid the texts and the picture of your profile')
		await owner.goto('/edit-profile/petra.plain')
		await expect(owner.getByText('Reason: It only sells shoes.')).toBeVisible()
		await expectNoViolations(owner)
	})

	await test.step('on a phone without scripts, the moderator restores the profile and removes the offending part', async () => {
		const small = await onPhone(browser, moderator)
		await small.goto('/moderation/profile/petra.plain')
		await small.getByRole('button', { name: 'Restore' }).click()
		await expectNotice(small, 'Everybody can see it again.')
		await small.goto('/moderation/profile/petra.plain')
		await small.getByLabel('What to remove').selectOption({ label: 'About me: Cheap shoes at the old harbour.' })
		const form = small.getByRole('region', { name: 'Remove a part' })
		await form.getByRole('button', { name: 'Remove' }).click()
		await expect(small.getByText('Say why, in a few words.')).toBeVisible()
		await form.getByLabel('Why').fill('No shoes.')
		await small.keyboard.press('Enter')
		await expectNotice(small, 'Removed. Its owner sees your reason.')
		expect(await htmlOf(owner, '/notifications')).toMatch(/removed from your profile: <bdi[^>]*>About me</)
	})

	await test.step('the owner blocks the reader, who can no longer comment and does not learn why', async () => {
		const path = await ask(owner)
		await owner.goto('/messages/mira.quillon')
		await owner.getByLabel('More about Mira Quillon').click()
		await owner.getByRole('button', { name: 'Block' }).click()
		await expect(owner.getByText('You blocked Mira Quillon. Unblock to write.')).toBeVisible()
		await reader.goto(path)
		await reader.getByLabel('Your comment').fill('Shoes, perhaps?')
		await reader.getByRole('button', { name: 'Comment', exact: true }).click()
		await expect(reader.getByText('You cannot comment here.').first()).toBeVisible()
	})

	await test.step('the settings list blocked members with a way to unblock them, on a phone without scripts too', async () => {
		await owner.goto('/settings')
		await expect(owner.getByRole('region', { name: 'Blocked members' })).toContainText('Mira Quillon')
		await expectNoViolations(owner)
		const small = await onPhone(browser, owner)
		await small.goto('/settings')
		await small.getByRole('button', { name: 'Unblock Mira Quillon' }).click()
		await expectNotice(small, 'Unblocked.')
		await expect(small.getByRole('region', { name: 'Blocked members' })).toContainText('You have not blocked anyone.')
	})
})
