import { picture } from '../factories/pictures.ts'
import {
	demoEmail,
	enrol,
	enrolAdmin,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	hydrated,
	logIn,
	settled,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* Administration on a phone, with the keyboard, and without scripts. */

test('an admin manages categories and members on a phone, without scripts', async ({ browser, page: other }) => {
	const baseURL = process.env.SITE_URL ?? ''
	const context = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
	const page = await context.newPage()
	await enrolAdmin(page)
	await page.goto('/admin')
	// A default that stays, a page made stale by another admin, and a test mail without a mail server.
	const setup = page.getByRole('region', { name: 'Make your site ready' })
	const step = (title: string) => setup.getByRole('listitem').filter({ hasText: title })
	const late = await context.newPage()
	await late.goto('/admin')
	await step('Who may register').getByRole('button', { name: 'Keep as it is' }).click()
	await expect(step('Who may register')).toContainText('Kept as it is.')
	await late.getByRole('listitem').filter({ hasText: 'Who may register' }).getByRole('button').click()
	await expect(late.getByText('Someone else has already decided this. Reload the page.')).toBeVisible()
	await late.close()
	await step('Who may register').getByRole('button', { name: 'Decide again' }).click()
	await expect(step('Who may register').getByRole('button', { name: 'Keep as it is' })).toBeVisible()
	await step('Mail').getByRole('button', { name: 'Send a test email' }).click()
	await expect(step('Mail').getByRole('alert')).toContainText('The site has no mail server, so no mails are delivered')
	await page.getByRole('main').getByRole('link', { name: 'Categories', exact: true }).last().click()

	// A category, from creation to merge.
	await page.getByRole('link', { name: 'Add a category' }).click()
	await page.getByLabel('Name').fill('Campus life')
	await page.getByLabel('Address').fill('ask')
	await page.getByRole('button', { name: 'Add category' }).click()
	await expect(page.getByText('The forum itself uses this address. Choose another one.')).toBeVisible()
	await page.getByLabel('Address').fill('')
	await page.getByRole('button', { name: 'Add category' }).click()
	await expectNotice(page, '“Campus life” added as the last one.')
	await page.getByRole('button', { name: 'Move Campus life up' }).click()
	await expect(
		page.getByRole('listitem').filter({ hasText: 'Campus life' }).getByRole('button', { name: /down/ }),
	).toBeEnabled()
	await page.getByRole('link', { name: 'Campus life' }).click()
	const stale = page.url()
	const edit = await context.newPage()
	await edit.goto(stale)
	await page.getByLabel('Address').fill('campus')
	await page.getByLabel('Description').fill('Rooms, food and lectures.')
	await page.getByLabel('Required tags').fill('rooms, food')
	await page.getByLabel('Who may ask').selectOption('Moderators and admins')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('campus-life leads here.')).toBeVisible()
	// Another tab still has the first version.
	await edit.getByLabel('Description').fill('Everything else about the campus.')
	await edit.getByRole('button', { name: 'Save' }).click()
	await expect(edit.getByRole('heading', { name: 'This was changed elsewhere in the meantime' })).toBeVisible()
	await expect(edit.getByText('Rooms, food and lectures.')).toBeVisible()
	await expect(edit.getByRole('definition').filter({ hasText: 'Moderators and admins' })).toBeVisible()
	await edit.close()

	// The form shows the category's requirements before it rejects anything, and keeps what was typed.
	await page.goto('/forum/ask?category=campus')
	await expect(page.getByText('“Campus life” needs one of the tags rooms, food.')).toBeVisible()
	await expectToFit(page, [360])
	await page.getByLabel('Title').fill('Where is the reading room?')
	await page.getByLabel('Tags').fill('library')
	await page.getByLabel('Description').fill('I cannot find it.')
	await page.getByRole('button', { name: 'Post question' }).click()
	await expect(page.getByText('A query in “Campus life” needs one of these tags: rooms, food.').first()).toBeVisible()
	await expect(page.getByLabel('Title')).toHaveValue('Where is the reading room?')

	await page.goto('/forum/category/campus-life')
	expect(new URL(page.url()).pathname).toBe('/forum/category/campus')
	await expect(page.getByText('Moderators ask here.')).toBeVisible()
	await logIn(other, demoEmail)
	await other.goto('/forum/ask?category=campus')
	await expect(other.getByLabel('Category')).toHaveValue('others')
	await expect(other.getByRole('option', { name: 'Campus life' })).toHaveCount(0)
	expect((await other.goto('/admin'))?.status()).toBe(403)

	await page.goto(stale)
	await page.getByLabel('Other category').selectOption('Careers')
	await page.getByRole('button', { name: 'Merge' }).click()
	await expect(page.getByRole('heading', { name: 'Merge “Campus life” into “Careers”?' })).toBeVisible()
	await expect(page.getByText('This moves 0 queries and 0 followers. It cannot be undone.')).toBeVisible()
	await page.getByRole('button', { name: 'Confirm' }).click()
	await expectNotice(page, 'Merged into “Careers”.')
	await page.goto('/forum/category/campus-life')
	expect(new URL(page.url()).pathname).toBe('/forum/category/careers')

	// Backups: an invalid value is rejected but stays in the form, and nothing is saved.
	await page.goto('/admin/backups')
	await expect(page.getByRole('button', { name: 'Back up now' })).toBeEnabled()
	await expect(page.getByText('It is off: if the disk fails, everything since the last backup is lost.')).toBeVisible()
	await page.getByRole('link', { name: 'Set when and where' }).click()
	await page.getByLabel('Archive continuously').check()
	await page.getByLabel('Folder of the continuous archive').fill('archive')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('Enter the full path, starting with a slash.').first()).toBeVisible()
	await expect(page.getByLabel('Folder of the continuous archive')).toHaveValue('archive')
	await expect(page.getByLabel('Archive continuously')).toBeChecked()

	// Appearance: a file that is not an image, a colour preview, a logo, and undoing it all.
	const logo = page.getByLabel('Logo', { exact: true })
	const colour = page.getByLabel('Colour', { exact: true })
	await page.goto('/admin')
	await step('Logo').getByRole('link').first().click()
	await colour.fill('#FFE600')
	await page.getByRole('button', { name: 'Show a preview' }).click()
	await expect(page.getByText(/^In the light theme #7\w+: a link has/)).toBeVisible()
	await expect(colour).toHaveValue('#ffe600')
	await logo.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('This is neither a PNG nor a JPG.').first()).toBeVisible()
	await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await picture('png', 1_000, 250) })
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('Logo: from “nothing” to “a picture of 1000 × 250 pixels”')).toBeVisible()
	const mark = page.getByRole('banner').locator('.mark').first()
	await expect(mark).toHaveCSS('height', '24px')
	await expect(mark).toHaveCSS('background-image', /\/media\/logos\/-\/\w+-320\.webp/)
	await page.getByRole('button', { name: 'Undo the change of Logo, Colour' }).click()
	await expect(page.getByText('Logo: from “a picture of 1000 × 250 pixels” to “nothing”')).toBeVisible()
	await expect(mark).toHaveCSS('height', '20px')

	// A member: search, promote, demote.
	await page.goto('/admin/members?q=mira')
	await page.getByRole('link', { name: 'Mira Quillon' }).click()
	await page.getByRole('combobox', { name: 'Role' }).selectOption('moderator')
	await page.getByRole('button', { name: 'Change role' }).click()
	await expect(page.getByText('Say why, in a few words.').first()).toBeVisible()
	await expect(page.getByRole('combobox', { name: 'Role' })).toHaveValue('moderator')
	await page.getByRole('button', { name: 'Log out everywhere' }).click()
	await expectNotice(page, 'Logged out everywhere.')
	await expect(page.getByText('0 sessions')).toBeVisible()
	await page.getByRole('button', { name: 'Make an archive' }).click()
	await expect(page.getByRole('alert').first()).toHaveText('One field needs attention: Why')
	await page.goto('/admin/members?role=admin')
	const [download] = await Promise.all([
		page.waitForEvent('download'),
		page.getByRole('button', { name: 'Download these as CSV' }).click(),
	])
	expect(download.suggestedFilename()).toBe('members.csv')
	// Bulk actions: the selection, the preview and the result.
	await page.goto('/admin/members?q=mira')
	await page.getByLabel('What to do').selectOption('End all sessions')
	await page.getByRole('button', { name: 'Continue' }).click()
	await expect(page.getByText('Tick some members first, or choose all that match the filter.')).toBeVisible()
	await page.goto('/admin/members?q=mira')
	await page.getByRole('button', { name: 'Download as CSV', exact: true }).click()
	await expectNotice(page, 'Tick some members first, or choose all that match the filter.')
	await expect(page.getByLabel('Name, username or address')).toHaveValue('mira')
	await page.getByLabel('Choose Mira Quillon').check()
	await page.getByLabel('What to do').selectOption('End all sessions')
	await page.getByRole('button', { name: 'Continue' }).click()
	await page.getByRole('button', { name: 'End all sessions: 1 member' }).click()
	await expect(page.getByText('Say why, in a few words.').first()).toBeVisible()
	await page.getByLabel('Why').fill('The room was left open.')
	await page.getByRole('button', { name: 'End all sessions: 1 member' }).click()
	await expect(page.getByText('Done for 1 member.')).toBeVisible()
	// A member who registered twice: found, previewed, refused, merged.
	const newcomer = await (await browser.newContext({ baseURL })).newPage()
	await enrol(newcomer, 'Tilda Twice')
	await enrol(newcomer, 'Tilda Once')
	await page.goto('/admin/members/tilda.twice')
	await page.getByRole('link', { name: 'Merge into another account' }).click()
	await page.getByLabel('Username or email address').fill('wanda.warden')
	await page.getByRole('button', { name: 'Look at it' }).click()
	await expect(page.getByText('You cannot merge your own account')).toBeVisible()
	await page.getByLabel('Username or email address').fill('@Tilda.Once')
	await page.getByRole('button', { name: 'Look at it' }).click()
	await expect(page.getByRole('region', { name: 'Ends with @tilda.twice' })).toContainText(
		'The kept account has its own.',
	)
	await page.getByLabel('Username of the account to delete').fill('tilda.once')
	await page.getByLabel('Why').fill('Registered twice.')
	await page.getByRole('button', { name: 'Merge into @tilda.once' }).click()
	await expect(page.getByText('Type tilda.twice, the username').first()).toBeVisible()
	await expect(page.getByLabel('Why')).toHaveValue('Registered twice.')
	await page.getByLabel('Username of the account to delete').fill('tilda.twice')
	await page.getByRole('button', { name: 'Merge into @tilda.once' }).click()
	await expect(page.getByRole('heading', { name: 'Tilda Once', level: 1 })).toBeVisible()
	await page.goto('/find-dev/tilda.twice')
	await expect(page).toHaveURL(/find-dev\/tilda\.once$/)
	await page.goto('/admin/members/tilda.once')
	await expect(page.getByText('Password', { exact: true })).toBeVisible()
	await page.locator('#delete-why').fill('She asked for it.')
	await page.getByRole('button', { name: 'Delete the account' }).click()
	await expect(page.getByText('unless the member logs in and keeps the account')).toBeVisible()
	await expect(page.getByRole('button', { name: 'Delete the account' })).toHaveCount(0)
	await page.goto('/admin/members?role=admin')
	await page.getByRole('link', { name: 'Wanda Warden' }).click()
	await page.getByRole('combobox', { name: 'Role' }).selectOption('member')
	await page.getByLabel('Why').first().fill('I leave.')
	await page.getByRole('button', { name: 'Change role' }).click()
	await expect(page.getByText('Wanda Warden is the only admin. Make somebody else admin first.')).toBeVisible()
	await page.goto('/moderation/log')
	for (const act of ['merge', 'export members', 'log out everywhere', 'change a category', 'merge accounts'])
		await expect(page.getByText(act, { exact: true }).first()).toBeVisible()
	await context.close()
})

test('admin pages fit a phone, pass axe and work by keyboard', async ({ page }) => {
	await enrolAdmin(page)
	for (const path of [
		'/admin',
		'/admin/categories',
		'/admin/categories/new',
		'/admin/categories/12',
		'/admin/members',
		'/admin/figures',
		'/admin/figures/usage',
		'/admin/leavers',
		'/admin/backups',
		'/admin/settings/backups',
		'/admin/members/mira.quillon',
		'/admin/members/pia.saffronley/merge?into=rohan.kitefield',
		'/admin/bulk?act=suspend&all=1',
		'/moderation/account/mira.quillon',
		'/moderation/accounts?accounts=mira.quillon+rohan.kitefield+nobody-here',
	]) {
		await page.goto(path)
		await expectNoViolationsInThemes(page)
		await expectToFit(page, [360, 1280])
		if (process.env.SCREENSHOTS)
			for (const [width, height] of [
				[390, 844],
				[1280, 800],
			] as const) {
				await page.setViewportSize({ width, height })
				await page.screenshot({
					path: `${process.env.SCREENSHOTS}/${path.replaceAll('/', '-')}-${width}.png`,
					fullPage: true,
				})
			}
	}
	await page.goto('/admin/categories')
	await hydrated(page)
	const up = page.getByRole('button', { name: 'Move Python up' })
	await up.focus()
	await page.keyboard.press('Enter')
	await expect(page.getByRole('listitem').first()).toBeVisible()
	await expectNotice(page, 'Moved.')
	const first = page
		.getByRole('main')
		.getByRole('listitem')
		.filter({ has: page.getByRole('button', { name: /^Move/ }) })
		.first()
	await expect(first).toContainText('Python')
	await page.getByRole('button', { name: 'Move Python down' }).click()
	await expect(first).toContainText('JavaScript')
})

test('an announcement appears on every page, and a member closes it with and without scripts', async ({
	browser,
	page,
}) => {
	const baseURL = process.env.SITE_URL ?? ''
	await enrolAdmin(page)
	// Check the rest in an accent colour with too little contrast for text.
	await page.goto('/admin/settings/appearance?accent=%23ffe600')
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])
	await hydrated(page)
	const colour = page.getByLabel('Colour', { exact: true })
	await colour.fill('greenish')
	await page.getByRole('button', { name: 'Show a preview' }).click()
	await expect(colour).toHaveAccessibleDescription(/^Enter a colour as # and six hexadecimal digits/)
	await expect(colour).toHaveValue('greenish')
	await expect(page.getByRole('button', { name: 'Show a preview' })).toBeFocused()
	await page.getByLabel('Choose a colour').fill('#fffbd0')
	await expect(colour).toHaveValue('#fffbd0')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('Colour: from “Ivy” to “#fffbd0”')).toBeVisible()
	// Also in a distant time zone, with another date format.
	await page.goto('/admin/settings/region')
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])
	await page.getByLabel('Dates, times and numbers').selectOption('United States: Nov 12, 2026, 6:41 pm')
	await page.getByLabel('Time zone').fill('Atlantis')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('Choose a time zone of the list, such as Europe/Berlin.').first()).toBeVisible()
	await page.getByLabel('Time zone').fill('Pacific/Auckland')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('Time zone: from “nothing” to “Pacific/Auckland”')).toBeVisible()
	await expect(page.locator('html[lang=en-US][data-zone="Pacific/Auckland"]')).toHaveCount(1)

	await page.goto('/admin/settings/announcement')
	await expectNoViolationsInThemes(page)
	await page.getByLabel('Text', { exact: true }).fill('The library is closed on Friday.')
	await page.getByLabel('Link', { exact: true }).fill('/forum/tags')
	await page.getByLabel('Words of the link').fill('What to do instead')
	await page.getByLabel('Last day', { exact: true }).fill('2020-01-01')
	await page.getByRole('button', { name: 'Save' }).click()
	const banner = page.getByRole('complementary', { name: 'Announcement' })
	const history = (change: string) => expect(page.getByText(change).first()).toBeVisible()
	await history('Last day: from “nothing” to “2020-01-01”')
	// Its last day has passed.
	await expect(banner).toHaveCount(0)
	await page.getByLabel('Last day', { exact: true }).fill('')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(banner).toContainText('The library is closed on Friday.')
	// It may be in a language from right to left.
	await expect(banner.getByRole('paragraph')).toHaveAttribute('dir', 'auto')
	await page.goto('/forum')
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])
	await hydrated(page)
	// A page that was opened within the site stays open.
	await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click()
	await expect(page).toHaveURL('/find-dev')
	// A page that arrives takes the focus, and with it a key that is pressed just then.
	await settled(page)
	// It disappears at once. A reload that does not wait for the answer may break off the request.
	const closed = page.waitForResponse((response) => new URL(response.url()).pathname === '/announcement.data')
	await banner.getByRole('button', { name: 'Close the announcement' }).press('Enter')
	await expect(banner).toHaveCount(0)
	await closed
	await expect(page).toHaveURL('/find-dev')
	await page.reload()
	await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
	await expect(banner).toHaveCount(0)

	const context = await browser.newContext({ baseURL, javaScriptEnabled: false })
	const reader = await context.newPage()
	const shown = reader.getByRole('complementary', { name: 'Announcement' })
	await reader.goto('/')
	await expect(shown).toContainText('The library is closed on Friday.')
	await expect(shown.getByRole('button')).toHaveCount(0)
	const today = { timeZone: 'Pacific/Auckland', weekday: 'long', month: 'long', day: 'numeric' } as const
	await expect(reader.getByText(new Date().toLocaleDateString('en-US', today))).toBeVisible()
	await logIn(reader, demoEmail)
	await reader.goto('/forum/tags')
	await shown.getByRole('button', { name: 'Close the announcement' }).click()
	await expect(reader).toHaveURL('/forum/tags')
	await expect(shown).toHaveCount(0)
	await context.close()

	await page.goto('/admin/settings/front-page')
	await page.getByLabel('Heading', { exact: true }).fill('Welcome to the union')
	await page.getByLabel('Text', { exact: true }).fill('Ask anything.')
	await page.getByRole('button', { name: 'Save' }).click()
	await history('to “Welcome to the union”')
	await page.goto('/')
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to the union')
	await expect(page.getByText('Ask anything.')).toBeVisible()

	// Undo everything, because other journeys use this site.
	await page.goto('/admin/settings/appearance')
	await page.getByRole('button', { name: 'Undo the change of Colour' }).first().click()
	await history('Colour: from “#fffbd0” to “Ivy”')
	await page.goto('/admin/settings/region')
	await page
		.getByRole('button', { name: /^Undo the change of Dates/ })
		.first()
		.click()
	await history('Time zone: from “Pacific/Auckland” to “nothing”')
	await page.goto('/admin/settings/front-page')
	await page.getByRole('button', { name: 'Undo the change of Heading, Text' }).click()
	await history('from “Welcome to the union” to')
	await page.goto('/admin/settings/announcement')
	await page.getByLabel('Text', { exact: true }).fill('')
	await page.getByRole('button', { name: 'Save' }).click()
	await history('Text: from “The library is closed on Friday.” to')
	await page.goto('/')
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to DevQuad')
	await expect(banner).toHaveCount(0)
})
