import { enrol, expect, expectNoViolations, htmlOf, hydrated, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* A first-year student comes to the site: what it tells them, what it asks for, and where it leads. */

test('a newcomer is welcomed, learns why a form was rejected, and is led to a card that introduces them', async ({
	page,
}) => {
	const notices = page.getByRole('region', { name: 'Notices' })

	await test.step('the home page introduces the site, and a popular skill leads to the people who have it', async () => {
		await page.goto('/')
		await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to DevQuad')
		await expect(page.getByRole('contentinfo').getByRole('link', { name: 'the DevQuad project' })).toHaveAttribute(
			'href',
			'/',
		)
		const skill = page.getByRole('region', { name: 'Popular skills' }).getByRole('link').first()
		const name = (await skill.innerText()).split('\n')[0] ?? ''
		await skill.click()
		await expect(page).toHaveURL(`/find-dev?${new URLSearchParams({ skill: name })}`)
		await expect(page.getByRole('heading', { level: 1 })).toContainText(`know ${name}`)
	})

	await test.step('a rejected form also shows a toast, unless the error is at its only field', async () => {
		await page.goto('/login')
		await page.getByLabel('Email').fill('nobody@eastmere.example')
		await page.getByLabel('Password', { exact: true }).fill('not the password')
		await page.getByRole('button', { name: 'Login', exact: true }).click()
		await expect(notices).toContainText(/email or password is wrong/)
		await expect(notices).not.toContainText('[')
		await page.goto('/register')
		await page.getByRole('button', { name: 'Register', exact: true }).click()
		await expect(notices).toContainText('All fields are required!')
		await page.goto('/forgot-password')
		await page.getByRole('button', { name: 'Send Email' }).click()
		await expect(page.getByRole('main')).toContainText('Email is required!')
		await expect(notices).not.toContainText('Email is required!')
	})

	await test.step("three steps appear on the list, on the member's own card and on their profile", async () => {
		await enrol(page, 'Nora Newcomer')
		await page.goto('/find-dev')
		const steps = page.getByRole('region', { name: 'Help others find you' })
		await expect(steps.getByRole('link')).toHaveText([
			'Add a picture',
			'Add three skills',
			'Add your university and branch',
		])
		await expect(page.getByRole('article').first()).toContainText('This is your card.')
		// Members who see their own green dot count as online.
		await expect(
			page.getByRole('complementary', { name: 'Filters' }).locator('label', { hasText: 'Online now' }),
		).toContainText(/[1-9]/)
		await expectNoViolations(page)
		const later = Buffer.from(JSON.stringify(['2020-01-01T00:00:00Z', 1])).toString('base64url')
		expect(await htmlOf(page, `/notifications?cursor=${later}`)).toContain('No more notifications.')
		for (const [tab, next] of Object.entries({ queries: 'Ask a question', answers: 'See unanswered queries' }))
			expect(await htmlOf(page, `/my-profile/nora.newcomer?tab=${tab}`)).toContain(next)
		await page.goto('/my-profile/nora.newcomer')
		await expect(steps).toBeVisible()
		await steps.getByRole('link', { name: 'Add three skills' }).click()
		await expect(page).toHaveURL('/edit-profile/nora.newcomer#skills')
		await expect(page.getByLabel('Skills optional', { exact: true })).toBeFocused()
		await expect(page.getByLabel('Skills optional', { exact: true })).toBeInViewport()
	})

	await test.step('a completed step is ticked, and a member who dismisses the steps no longer sees them', async () => {
		await page.goto('/edit-profile/nora.newcomer')
		await hydrated(page)
		await page.getByLabel('Skills optional', { exact: true }).fill('Zig, React, Go')
		await page.getByLabel('Mentoring').check()
		await page.getByLabel('Teammates').check()
		await page.getByRole('button', { name: 'Save' }).click()
		await expectNotice(page, 'Profile updated successfully!')
		await page.goto('/find-dev')
		const steps = page.getByRole('region', { name: 'Help others find you' })
		await expect(steps).toContainText('1 of 3 steps done.')
		await expect(steps).toContainText('Add three skills, done')
		await expect(page.getByRole('article').first()).toContainText('Open to mentoring and teammates')
		await steps.getByRole('button', { name: 'Do not show these steps again' }).click()
		await expect(steps).toBeHidden()
		await expect(page).toHaveURL('/find-dev')
		await page.reload()
		await expect(page.getByRole('article').first()).toContainText('Nora Newcomer')
		await expect(steps).toBeHidden()
		await expect(page.getByText('This is your card.')).toBeHidden()
	})

	await test.step('a skill on a profile leads to the people who have it, and a missing member leads to the member search', async () => {
		await page.goto('/find-dev/nora.newcomer')
		await page.getByRole('list', { name: 'Skills' }).getByRole('link', { name: 'Zig' }).click()
		await expect(page).toHaveURL('/find-dev?skill=Zig')
		await page.goto('/find-dev/nobody.at.all')
		const main = page.getByRole('main')
		await expect(main).toContainText('No developer has this username.')
		await expect(main).not.toContainText('GET /')
		await main.getByRole('searchbox').fill('mira')
		await main.getByRole('button', { name: 'Search' }).click()
		await expect(page).toHaveURL('/find-dev?q=mira')
	})

	await test.step('the chat button has a label that explains it', async () => {
		expect(await htmlOf(page, '/messages/wren.castlemaine')).toContain('>Send<')
	})
})
