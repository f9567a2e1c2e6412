import type { Page } from '@playwright/test'
import sharp from 'sharp'
import {
	demoEmail,
	endLinks,
	enrol,
	expect,
	expectNoViolations,
	htmlOf,
	logIn,
	mailedLink,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

async function saveAddress(page: Page, username: string, address: string, said = ''): Promise<void> {
	await page.goto(`/edit-profile/${username}/academics`)
	await page.getByLabel('University email').fill(address)
	await page.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(page, `Academics data updated successfully!${said}`)
}

for (const javaScriptEnabled of [true, false]) {
	test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
		test.use({ javaScriptEnabled })
		const last = javaScriptEnabled ? 'Scripted' : 'Plain'

		test('a university address is confirmed by mail, and the card and the profile show it', async ({ page }) => {
			const username = await enrol(page, `Ansel ${last}`)
			const address = `${username}@cs.mit.edu`
			await saveAddress(page, username, `${username}@eastmere.example`)
			await page.reload()
			await expect(page.getByText('its domain does not belong only to a university')).toBeVisible()
			await saveAddress(page, username, address, ` We have emailed a link to ${address} to confirm it.`)
			const first = await mailedLink(address)
			await page.getByRole('button', { name: 'Send a confirmation link' }).click()
			await expectNotice(page, `A link is on its way to ${address}.`)
			const late = await mailedLink(address, { before: first })
			await endLinks('campus_links')
			await page.goto(late)
			await expect(page.getByRole('heading', { name: 'This link is too old' })).toBeVisible()
			if (javaScriptEnabled) await expectNoViolations(page)
			await page.getByRole('button', { name: 'Send me a new link' }).click()
			await expect(page.getByRole('heading', { name: 'Check your mailbox' })).toBeVisible()
			const link = await mailedLink(address, { before: late })
			// A mail scanner opens the link once, the reader once.
			await page.request.get(link)
			await page.goto(link)
			await expect(page.getByRole('heading', { name: `Confirm ${address}?` })).toBeVisible()
			if (javaScriptEnabled) await expectNoViolations(page)
			await page.getByRole('button', { name: 'Confirm this address' }).click()
			await expect(page.getByText('You are a verified student of Massachusetts Institute of Technology.')).toBeVisible()
			const mark = 'Verified student of Massachusetts Institute of Technology'
			expect(await htmlOf(page, `/find-dev/${username}`)).toContain(mark)
			await page.goto('/find-dev')
			await expect(page.getByText(mark).first()).toBeVisible()
			expect(await htmlOf(page, link)).toContain('This link has been used')
			await page.goto(`/edit-profile/${username}/academics`)
			await expect(page.getByText(`${address} is confirmed. This shows until`)).toBeVisible()
			if (javaScriptEnabled) await expectNoViolations(page)
		})

		test('a résumé is previewed, its ticked parts are imported, and it is exported again', async ({ page }) => {
			const username = await enrol(page, `Tove ${last}`)
			await page.goto(`/edit-profile/${username}`)
			await page.getByRole('link', { name: 'Import a résumé' }).first().click()
			await expect(page.getByRole('heading', { name: 'Import a résumé', level: 1 })).toBeVisible()
			await page.getByLabel('Or paste its text').fill('{"basics": []}')
			await page.getByRole('button', { name: 'Preview' }).click()
			await expect(page.getByText('basics: This has to be an object').first()).toBeVisible()
			await expect(page.getByLabel('Or paste its text')).toHaveValue('{"basics": []}')
			const resume = {
				basics: { name: `Tove ${last}`, label: 'Lamp making', summary: 'I keep lanterns lit.' },
				work: [{ name: 'Lamps & Sons' }],
				awards: [{ title: 'Golden lamp' }],
				skills: [{ name: 'js' }, { name: 'Glass' }],
				projects: [{ name: 'wick', description: 'A taller wick.' }, { name: 'ford' }],
			}
			const file = { name: 'resume.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(resume)) }
			await page.getByLabel('File', { exact: true }).setInputFiles(file)
			await page.getByRole('button', { name: 'Preview' }).click()
			await expect(page.getByText('awards (1 entry)')).toBeVisible()
			await expect(page.getByText('JavaScript, Glass')).toBeVisible()
			const lamps = page.getByRole('listitem').filter({ has: page.getByLabel('Work: Lamps & Sons is added') })
			await expect(lamps).toHaveText('Work: Lamps & Sons is added')
			if (javaScriptEnabled) await expectNoViolations(page)
			await page.getByLabel('ford is added').uncheck()
			await page.getByRole('button', { name: 'Import selected' }).click()
			await expectNotice(page, 'Imported: 5 changes.')
			await page.goto(`/find-dev/${username}`)
			await expect(page.getByRole('heading', { name: 'wick' })).toBeVisible()
			await expect(page.getByRole('heading', { name: 'ford' })).toHaveCount(0)
			const exported = await page.request.get(`/find-dev/${username}.json`)
			expect(await exported.json()).toMatchObject({
				basics: { name: `Tove ${last}`, label: 'Lamp making', summary: 'I keep lanterns lit.' },
				skills: [{ name: 'JavaScript' }, { name: 'Glass' }],
				work: [{ name: 'Lamps & Sons' }],
				projects: [{ name: 'wick', description: 'A taller wick.' }],
			})
		})
	})
}

test('a second member imports the export of the first and exports the same', async ({ page, browser }) => {
	await logIn(page)
	const first = demoEmail.split('@')[0]
	const text = await (await page.request.get(`/find-dev/${first}.json`)).text()
	const other = await browser.newPage()
	const username = await enrol(other, 'Second Reader')
	await other.goto(`/edit-profile/${username}/import`)
	await other.getByLabel('Or paste its text').fill(text)
	await other.getByRole('button', { name: 'Preview' }).click()
	await other.getByRole('button', { name: 'Import selected' }).click()
	await expect(other.getByText(/^Imported: \d+ changes\.$/)).toBeVisible()
	const again = await (await other.request.get(`/find-dev/${username}.json`)).text()
	expect(portable(again)).toEqual(portable(text))
	await other.close()
})

/** A document without the parts specific to one account. */
function portable(text: string): unknown {
	// The level of a skill depends on its owner's answers.
	const own = ['level', 'username', 'email', 'image', 'profile_url', 'certificate_image', 'project_image', 'canonical']
	return JSON.parse(text, function (this: unknown, key, value) {
		const isNetwork = typeof this === 'object' && this !== null && 'network' in this
		return own.includes(key) && !isNetwork ? undefined : value
	})
}

test('a preview is not applied to a profile that has changed since', async ({ page, context }) => {
	const username = await enrol(page, 'Late Reader')
	await page.goto(`/edit-profile/${username}/import`)
	await page.getByLabel('Or paste its text').fill('{"basics": {"label": "Lamp making"}}')
	await page.getByRole('button', { name: 'Preview' }).click()
	await expect(page.getByText('Lamp making')).toBeVisible()
	const other = await context.newPage()
	await other.goto(`/edit-profile/${username}`)
	await other.getByLabel('Expertise in').fill('Glass')
	await other.getByRole('button', { name: 'Save changes' }).click()
	await expectNotice(other, 'Profile updated successfully!')
	await page.getByRole('button', { name: 'Import selected' }).click()
	await expect(page.getByText('Nothing was imported. Here is a new preview.')).toBeVisible()
	await expect(page.getByText('Glass')).toBeVisible()
	await page.getByRole('button', { name: 'Import selected' }).click()
	await expectNotice(page, 'Imported: 1 change.')
})

test('a full profile prints on one sheet of A4, with words and addresses but no site navigation', async ({ page }) => {
	await logIn(page)
	await page.goto(`/find-dev/${demoEmail.split('@')[0]}`)
	await expect(page.getByRole('heading', { name: 'Mira Quillon' })).toBeVisible()
	const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
	expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1)
	expect(pdf).toMatch(/\/MediaBox\s*\[\s*0 0 59[45][.\d]* 84[12][.\d]*\s*\]/)
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
	for (const gone of ['body > header', 'body > footer', '[aria-labelledby="queries"]', 'a[download]'])
		await expect(page.locator(gone)).toBeHidden()
	for (const section of ['About me', 'Academics', 'Projects', 'Certificates'])
		await expect(page.getByRole('heading', { name: section })).toBeVisible()
	await expect(page.locator('body')).toHaveCSS('color', 'rgb(0, 0, 0)')
	await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)')
	const second = page.getByRole('list', { name: 'Skills' }).getByRole('listitem').nth(1)
	expect(await second.evaluate((item) => getComputedStyle(item, '::before').content)).toBe('"· "')
	const done = await page.locator('.prose').evaluateAll(([about]) => {
		about?.insertAdjacentHTML('beforeend', '<ul><li><input type="checkbox" disabled checked>Done</li></ul>')
		return getComputedStyle(about?.querySelector('input') ?? document.body).backgroundColor
	})
	expect(done, 'the tick of a task is printed').toBe('rgb(0, 0, 0)')
	const address = page.getByRole('link', { name: 'Github' }).first()
	const written = await address.evaluate((link) => getComputedStyle(link, '::after').content)
	expect(written).toContain((await address.getAttribute('href')) ?? 'an address')
})

test('a shared link shows the member’s card to clients that are not logged in', async ({ request }) => {
	const username = demoEmail.split('@')[0]
	const page = await (await request.get(`/find-dev/${username}`)).text()
	const [, address = ''] = /property="og:image" content="([^"]+)"/.exec(page) ?? []
	expect(address).toMatch(new RegExp(`/find-dev/${username}/card\\.png$`))
	expect(page).toContain('name="twitter:card" content="summary_large_image"')
	const path = new URL(address).pathname
	const card = await request.get(path)
	expect(card.headers()['content-type']).toBe('image/png')
	expect(await sharp(await card.body()).metadata()).toMatchObject({ width: 1_200, height: 630 })
	const tag = card.headers().etag ?? ''
	expect((await request.get(path, { headers: { 'If-None-Match': tag } })).status()).toBe(304)
	const stranger = await request.get('/find-dev/nobody.here/card.png')
	expect(stranger.status()).toBe(200)
	expect(stranger.headers().etag).not.toBe(tag)
})
