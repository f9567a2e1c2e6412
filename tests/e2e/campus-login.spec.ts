import type { Page } from '@playwright/test'
import { startGithub } from '../support/github-site.ts'
import {
	baseDn,
	bindDn,
	bindPassword,
	type Directory,
	memberPassword,
	slapd,
	startDirectory,
} from '../support/ldap-site.ts'
import { type CampusSite, startCampus } from '../support/oidc-site.ts'
import { type SamlSite, startSamlSite } from '../support/saml-site.ts'
import {
	enrol,
	enrolAdmin,
	expect,
	expectNoViolationsInThemes,
	expectToFit,
	htmlOf,
	mailedLink,
	newPassword,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/*
 * Campus login, from the admin form to the login button, with a real OpenID provider, a SAML provider, slapd if installed, and a browser.
 */

let campus: CampusSite
let directory: Directory | undefined
let saml: SamlSite

test.beforeAll(async () => {
	campus = await startCampus(`${process.env.SITE_URL}/login/campus/callback`)
	campus.accounts.set('s-1', {
		sub: 's-1',
		name: 'Nadia Ferrow',
		preferred_username: 'nferrow',
		email: 'nferrow@eastmere.example',
		role: 'Physics',
	})
	campus.visitor = 's-1'
	saml = await startSamlSite(async () => (await fetch(`${process.env.SITE_URL}/login/saml/metadata`)).text())
	saml.visitor = 's-1'
	saml.accounts.set('s-1', {
		nameId: 's-1',
		attributes: {
			'urn:oid:0.9.2342.19200300.100.1.3': 'lquill@eastmere.example',
			'urn:oid:0.9.2342.19200300.100.1.1': 'lquill',
			'urn:oid:2.16.840.1.113730.3.1.241': 'Lia Quill',
		},
	})
	directory = slapd ? await startDirectory(slapd) : undefined
	await directory?.enrol('tferrow')
})

test.afterAll(() => Promise.all([campus.stop(), saml.stop(), directory?.stop()]))

test('an admin sets up the campus login and undoes changes; a newcomer logs in with one click, with and without scripts', async ({
	page,
	browser,
}) => {
	const baseURL = process.env.SITE_URL ?? ''
	await enrolAdmin(page)
	await page.goto('/admin/settings')
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])
	await page.getByRole('link', { name: 'Campus login' }).click()
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])

	// Errors are explained, and the input stays.
	await page.getByLabel('Offer the campus login').check()
	await page.getByLabel('Issuer').fill(`${campus.issuer}/elsewhere`)
	await page.getByLabel('Client id').fill(campus.clientId)
	await page.getByLabel('Client secret').fill(campus.clientSecret)
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText(/^The server at this address is not the login service/)).toBeVisible()
	await page.getByLabel('Issuer').fill(campus.issuer)
	await expect(page.getByLabel('Client id')).toHaveValue(campus.clientId)
	await page.getByLabel('Client secret').fill(campus.clientSecret)
	await page.getByLabel('It is the only way in').check()
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText('No admin has logged in by the campus login yet')).toBeVisible()
	await page.getByLabel('It is the only way in').uncheck()
	await page.getByLabel('Client secret').fill(campus.clientSecret)
	await page.getByLabel('On the button').fill('Log in at Eastmere')
	await page.keyboard.press('Enter')
	await expectNotice(page, 'Saved. It applies immediately.')
	await expect(page.getByText('A secret is saved, but never shown again.')).toBeVisible()
	await expect(page.getByText('Offer the campus login: from “no” to “yes”')).toBeVisible()
	await page.goto('/admin/settings/campus-fields')
	await page.getByLabel('Claim or attribute with the branch').fill('role')
	await page.getByRole('button', { name: 'Save' }).click()
	await expectNotice(page, 'Saved. It applies immediately.')

	for (const javaScriptEnabled of [true, false]) {
		const context = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, javaScriptEnabled })
		const newcomer = await context.newPage()
		await newcomer.goto('/login?redirectTo=/settings/logins')
		if (javaScriptEnabled) {
			await expectNoViolationsInThemes(newcomer)
			await expectToFit(newcomer, [360])
		}
		await newcomer.getByRole('button', { name: 'Log in at Eastmere' }).click()
		await newcomer.waitForURL('**/settings/logins')
		await expect(newcomer.getByText(javaScriptEnabled ? 'Welcome!' : 'Welcome back!')).toBeVisible()
		await expect(newcomer.getByText('The campus login as nferrow')).toBeVisible()
		await expect(newcomer.getByRole('region', { name: 'From the university' })).toContainText(
			'up to date here: branch.',
		)
		if (javaScriptEnabled) await expectNoViolationsInThemes(newcomer)
		await newcomer.getByRole('button', { name: 'Remove The campus login' }).click()
		await expect(newcomer.getByText('This is your only way to log in.')).toBeVisible()
		expect(await htmlOf(newcomer, '/settings')).not.toContain('Change password')
		if (javaScriptEnabled) await logOutHere(newcomer)
		else await setFirstPassword(newcomer)
		await context.close()
	}

	// A callback for a login not started here.
	await page.goto('/login/campus/callback?code=x&state=y')
	await expect(page.getByText('This login was not started in this browser')).toBeVisible()
	await expectNoViolationsInThemes(page)

	// Linking what is somebody else's: whoever tries stays logged in, and is told so.
	await page.goto('/settings/logins')
	await page.getByRole('button', { name: 'Link The campus login' }).click()
	await expect(page.getByText('already opens another account here')).toBeVisible()
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('It did not go through')
	await page.getByRole('link', { name: 'Back to your ways to log in' }).click()
	await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ways to log in')

	await page.goto('/admin/settings/campus-login')
	await page.getByRole('button', { name: /^Undo the change of Offer/ }).click()
	await expectNotice(page, 'Undone.')
	await page.goto('/login/campus')
	await expect(page.getByRole('alert')).toHaveText('This login begins with its button on the login page.')
	await page.getByRole('link', { name: 'Back to the login' }).click()
	await expect(page.getByRole('button', { name: 'Log in at Eastmere' })).toHaveCount(0)
	await offerSaml(page)
	for (const javaScriptEnabled of [true, false]) {
		const context = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, javaScriptEnabled })
		await comeBySaml(await context.newPage(), javaScriptEnabled)
		await context.close()
	}
	if (!directory) return
	await offerDirectory(page, directory.address)
	const context = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
	await comeByDirectory(await context.newPage())
	await context.close()
})

test('a member with a password links the campus login by mail, on two devices, with and without scripts', async ({
	page,
	browser,
}) => {
	const baseURL = process.env.SITE_URL ?? ''
	const email = `${await enrol(page, 'Lina Harrow')}@eastmere.example`
	await page.context().clearCookies()
	await enrolAdmin(page)
	await page.goto('/admin/settings/campus-login')
	await page.getByLabel('Offer the campus login', { exact: true }).check()
	await page.getByLabel('Issuer', { exact: true }).fill(campus.issuer)
	await page.getByLabel('Client id', { exact: true }).fill(campus.clientId)
	await page.getByLabel('Client secret', { exact: true }).fill(campus.clientSecret)
	await page.getByLabel('On the button', { exact: true }).fill('Log in at Eastmere')
	await page.keyboard.press('Enter')
	await expectNotice(page, 'Saved. It applies immediately.')
	campus.accounts.set('s-2', {
		sub: 's-2',
		name: 'Lina Harrow',
		preferred_username: 'lharrow',
		email,
		email_verified: true,
	})
	campus.visitor = 's-2'
	const logIn = async (member: Page) => {
		await member.goto('/login')
		await member.getByRole('button', { name: 'Log in at Eastmere' }).click()
	}
	for (const javaScriptEnabled of [true, false]) {
		const options = { baseURL, viewport: { width: 390, height: 844 }, javaScriptEnabled }
		const laptop = await browser.newContext(options)
		const member = await laptop.newPage()
		await logIn(member)
		await expect(member.getByRole('heading', { level: 1 })).toHaveText('This address has an account')
		await expect(member.getByText('You used “Log in at Eastmere” as Lina Harrow (lharrow), but')).toBeVisible()
		if (javaScriptEnabled) {
			await expectNoViolationsInThemes(member)
			await expectToFit(member, [320, 1280])
		}
		await member.getByRole('button', { name: 'Send me a link' }).click()
		await expect(member.getByRole('heading', { level: 1 })).toHaveText('Check your mailbox')
		const link = await mailedLink(email)
		// Without scripts on the phone, whose browser has not logged in.
		const device = javaScriptEnabled ? laptop : await browser.newContext(options)
		const reader = await device.newPage()
		await reader.goto(link)
		if (!javaScriptEnabled) {
			await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Log in here first')
			await reader.getByRole('button', { name: 'Log in at Eastmere' }).click()
		}
		await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Is @lina.harrow your account?')
		if (javaScriptEnabled) {
			await expectNoViolationsInThemes(reader)
			await expectToFit(reader, [320, 1280])
		}
		await reader.getByRole('button', { name: 'It is mine: link it and log in' }).click()
		await reader.waitForURL('**/find-dev')
		expect(await htmlOf(reader, '/settings/logins')).toMatch(/The campus login<span[^>]*> as lharrow</)
		expect(await htmlOf(reader, link)).toMatch(/<h1[^>]*>Not linked</)
		await laptop.close()
		if (device !== laptop) await device.close()
		await unlinkAsAdmin(page)
	}
})

/** Unlinks the login of the member above. */
async function unlinkAsAdmin(page: Page): Promise<void> {
	await page.goto('/admin/members/lina.harrow')
	await page.locator('#unlink-why').fill('Made anew.')
	await page.getByRole('button', { name: 'Unlink' }).click()
	await expectNotice(page, 'Unlinked, and they are logged out everywhere.')
	await expect(page.getByRole('button', { name: 'Unlink' })).toHaveCount(0)
}

test('a member with a linked GitHub account picks projects from their repositories, with and without scripts', async ({
	page,
	browser,
}) => {
	const baseURL = process.env.SITE_URL ?? ''
	const github = await startGithub('ada-lumen', ['lantern', 'a-repository-with-a-name-that-is-rather-long', 'ford'])
	await enrolAdmin(page)
	await page.goto('/admin/settings/other-logins')
	await page.getByLabel('GitHub: client id').fill('an id')
	await page.getByLabel('GitHub: client secret').fill('a secret')
	await page.getByLabel('GitHub: address').fill(github.address)
	await page.keyboard.press('Enter')
	await expectNotice(page, 'Saved. It applies immediately.')
	for (const javaScriptEnabled of [true, false]) {
		const context = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, javaScriptEnabled })
		const owner = await context.newPage()
		await owner.goto('/login?redirectTo=/edit-profile/ada-lumen/projects')
		await owner.getByRole('button', { name: 'Log in with GitHub' }).click()
		await owner.getByRole('link', { name: 'Choose from your GitHub repositories' }).click()
		if (javaScriptEnabled) {
			await expectNoViolationsInThemes(owner)
			await expectToFit(owner, [390, 1280])
		} else await expect(owner.getByLabel('lantern')).toBeDisabled()
		await owner.getByRole('button', { name: 'Add to my projects' }).press('Enter')
		await expect(owner.getByText('Choose at least one repository.').first()).toBeVisible()
		await owner.getByLabel(javaScriptEnabled ? 'lantern' : 'ford').press('Space')
		await owner.getByRole('button', { name: 'Add to my projects' }).press('Enter')
		await owner.waitForURL('**/edit-profile/ada-lumen/projects')
		await expect(owner.getByText(/^TypeScript · /)).toHaveCount(javaScriptEnabled ? 1 : 2)
		await context.close()
	}
	await github.stop()
})

/** The page after it tells where else the browser may be logged in. */
async function logOutHere(page: Page): Promise<void> {
	await page.getByRole('button', { name: /account menu/ }).click()
	await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).click()
	await expect(page.getByText('your browser may still be logged in at your university')).toBeVisible()
	await expect(page.getByRole('link', { name: 'log out there' })).toHaveAttribute(
		'href',
		`${campus.issuer}/session/end`,
	)
}

/** Whoever has no password is not asked for one in order to change it. */
async function setFirstPassword(page: Page): Promise<void> {
	const email = 'nferrow@eastmere.example'
	await page.goto('/edit-profile/nferrow/change-password')
	await page.getByRole('link', { name: 'ask for a link to set it' }).click()
	await page.getByLabel('Email').fill(email)
	await page.getByRole('button', { name: 'Send Email' }).click()
	await page.goto(await mailedLink(email))
	await page.getByLabel('New password', { exact: true }).fill(newPassword)
	await page.getByLabel('Confirm Password').fill(newPassword)
	await page.keyboard.press('Enter')
	await page.waitForURL('**/login**')
	await page.getByLabel('Email').fill(email)
	await page.getByLabel('Password', { exact: true }).fill(newPassword)
	await page.keyboard.press('Enter')
	await page.waitForURL('**/find-dev')
	await page.goto('/edit-profile/nferrow/change-password')
	await expect(page.getByLabel('Current password')).toBeVisible()
}

async function offerSaml(page: Page): Promise<void> {
	await page.goto('/admin/settings/saml-login')
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])
	await page.getByLabel('Offer the login by SAML').check()
	await page.getByLabel('Entity ID').fill(saml.entityId)
	await page.getByLabel('Address of the login').fill(saml.address)
	await page.getByLabel('Certificates').fill('none')
	await page.getByRole('button', { name: 'Save' }).click()
	await expect(page.getByText(/^This is not a certificate/).first()).toBeVisible()
	await expect(page.getByLabel('Entity ID')).toHaveValue(saml.entityId)
	await page.getByLabel('Metadata of the login service').fill(saml.metadata())
	for (const name of ['Entity ID', 'Address of the login', 'Certificates']) await page.getByLabel(name).fill('')
	await page.getByRole('button', { name: 'Save' }).click()
	await expectNotice(page, 'Saved. It applies immediately.')
}

/** The identity provider's page submits the response by script, or by its button without scripts. */
async function comeBySaml(page: Page, hasScripts: boolean): Promise<void> {
	await page.goto('/login?redirectTo=/settings/logins')
	if (hasScripts) {
		// An invalid response gets an explanation.
		saml.tampering = { values: { Audience: 'https://elsewhere.example' } }
		await page.getByRole('button', { name: 'Log in through your university' }).click()
		await expect(page.getByText(/^The university login gave an answer that is meant for another site/)).toBeVisible()
		await expectNoViolationsInThemes(page)
		saml.tampering = {}
		await page.goto('/login?redirectTo=/settings/logins')
	}
	await page.getByRole('button', { name: 'Log in through your university' }).press('Enter')
	if (!hasScripts) await page.getByRole('button', { name: 'Go on' }).click()
	await page.waitForURL('**/settings/logins')
	await expect(page.getByText(hasScripts ? 'Welcome!' : 'Welcome back!')).toBeVisible()
	await expect(page.getByText('The university login as lquill')).toBeVisible()
}

async function offerDirectory(page: Page, address: string): Promise<void> {
	await page.goto('/admin/settings/directory-login')
	await page.getByLabel('Offer the login by LDAP').check()
	await page.getByLabel('Address', { exact: true }).fill(address)
	await page.getByLabel('Encrypt ldap:// by StartTLS').uncheck()
	await page.getByLabel('Base DN').fill(baseDn)
	await page.getByLabel('Bind DN').fill(bindDn)
	await page.getByLabel('Bind password').fill(bindPassword)
	await page.keyboard.press('Enter')
	await expectNotice(page, 'Saved. It applies immediately.')
	await page.goto('/login/ldap?link=1')
	await expectNoViolationsInThemes(page)
	await expectToFit(page, [360, 1280])
}

/** Without scripts: a failed login keeps the username, and the correct password leads to the page requested. */
async function comeByDirectory(page: Page): Promise<void> {
	await page.goto('/login?redirectTo=/settings/logins')
	await page.getByRole('button', { name: 'Log in with your university account' }).click()
	await page.getByLabel('Username').fill('tferrow')
	await page.getByLabel('Password', { exact: true }).fill('wrong')
	await page.getByRole('button', { name: 'Login', exact: true }).click()
	await expect(page.getByText('The username or password is wrong.')).toBeVisible()
	await expect(page.getByLabel('Username')).toHaveValue('tferrow')
	await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
	await page.getByLabel('Password', { exact: true }).fill(memberPassword)
	await page.getByRole('button', { name: 'Login', exact: true }).click()
	await page.waitForURL('**/settings/logins')
	await expect(page.getByText('The university directory as tferrow')).toBeVisible()
}
