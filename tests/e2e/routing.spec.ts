import type { Page } from '@playwright/test'
import pg from 'pg'
import { siteDatabase } from '../support/site-process.ts'
import { anotherBrowser, withoutPage } from './support/chat.ts'
import {
	type Account,
	demoModerator,
	enrol,
	expect,
	expectSound,
	expectToFit,
	hasArrived,
	logIn,
	test,
} from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/* A question sent to a member who may know the answer, from “Ask me” to “Not me”, and what moderators see of it. */

async function inDatabase<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
	const client = new pg.Client(siteDatabase(process.env.SITE_DATA_DIR ?? ''))
	await client.connect()
	try {
		return await work(client)
	} finally {
		await client.end()
	}
}

/** Gives a member a skill that no demo member has. */
const teach = (username: string, skill: string) =>
	inDatabase(async (client) => {
		await client.query('insert into skills (name, name_key) values ($1, lower($1)) on conflict do nothing', [skill])
		await client.query(
			`insert into profile_skills (user_id, skill_id, position)
				select users.id, skills.id, 0 from users, skills where username = $1 and skills.name = $2`,
			[username, skill],
		)
	})

/** Asks a question that is not in the random control group. @returns its address */
async function ask(page: Account, title: string, tags: string): Promise<string> {
	const answer = await page.request.post('/forum/ask', {
		form: { title, description: 'I have tried what the books say.', tags, category: 'others' },
		headers: { Origin: process.env.SITE_URL ?? '' },
		maxRedirects: 0,
	})
	const url = answer.headers().location ?? ''
	await page.context().clearCookies({ name: 'flash' })
	await inDatabase(async (client) => {
		const id = Number(url.split('/')[4])
		await client.query('update question_routing set routed = true where question_id = $1', [id])
		await client.query(
			`select graphile_worker.add_job('route-question', json_build_object('questionId', $1::int, 'round', 1))`,
			[id],
		)
	})
	return url
}

const told = (page: Page, title: string) =>
	page.getByRole('main').getByRole('link', { name: `You may know this: ${title}` })

/** Opens the notifications, which include the question once the job has run. */
async function openTold(page: Page, title: string): Promise<void> {
	await hasArrived(page, '/notifications', title)
	await page.goto('/notifications')
	await told(page, title).click()
}

test('a member is asked what they know and replies “not me”; the asker sees only how many were asked', async ({
	page,
	browser,
	request,
}) => {
	const title = 'How long does the tail of a kite have to be?'
	const expert = await enrol(page, 'Kenji Kitewright')
	await page.goto('/answer')
	await expect(page.getByText('Nothing for you right now.')).toBeVisible()
	await expect(page.getByRole('link', { name: 'Add skills to your profile' })).toHaveAttribute(
		'href',
		`/edit-profile/${expert}`,
	)
	await expectToFit(page, [1280, 390])
	const askMe = page.getByRole('button', { name: 'Ask me', exact: true })
	await expect(askMe).toHaveAttribute('aria-pressed', 'false')
	await askMe.focus()
	await page.keyboard.press('Enter')
	await expectNotice(page, 'You will be asked when you may know the answer.')
	await expect(askMe).toHaveAttribute('aria-pressed', 'true')
	await teach(expert, 'Kite making')

	const asker = await (await anotherBrowser(browser)).newPage()
	await enrol(asker, 'Kira Kitemaker')
	const url = await ask(asker, title, 'kite-making')
	await openTold(page, title)
	await expect(page).toHaveURL(url)
	await expect(page.getByText('You were asked because you know Kite making.')).toBeVisible()
	await expect(page.getByText(/people? (was|were) asked/)).toHaveCount(0)
	await expectSound(page)

	await asker.goto(url)
	await expect(asker.getByText('1 person was asked, as they may know the answer.')).toBeVisible()
	await expect(asker.getByText(/Kenji|You were asked/)).toHaveCount(0)
	expect(await (await request.get(url)).text()).not.toMatch(/was asked|were asked/)

	await page.goto('/answer')
	const item = page.getByRole('article').filter({ hasText: title })
	await expect(item).toContainText('You know Kite making. Nobody has answered yet.')
	await expectSound(page)
	const feed = page.getByRole('link', { name: 'Your Atom feed' })
	const address = (await feed.getAttribute('href')) ?? ''
	const answer = await request.get(address)
	expect(answer.headers()['content-type']).toContain('application/atom+xml')
	expect(await answer.text()).toContain(`<title>${title}</title>`)
	await page.getByRole('button', { name: 'New address' }).click()
	await expect(feed).not.toHaveAttribute('href', address)
	expect((await request.get(address)).status()).toBe(404)

	await item.getByRole('link', { name: title }).click()
	await page.getByRole('button', { name: 'Not me' }).click()
	await expectNotice(page, 'Noted. You will be asked less about Kite making.')
	await expect(page.getByText('You said that this is not for you.')).toBeVisible()
	await page.getByRole('button', { name: 'Undo' }).click()
	await expect(page.getByText('You were asked because you know Kite making.')).toBeVisible()

	await logIn(page, demoModerator)
	await page.goto('/moderation/routing')
	await expect(page.getByRole('row', { name: /^Left out at random/ })).toBeVisible()
	await expect(page.getByText('Too few queries to draw a conclusion')).toBeVisible()
	await expectSound(page)
})

test.describe('without JavaScript', () => {
	test.use({ javaScriptEnabled: false })

	test('a visitor is sent to the login; a member opts in to questions, replies “not me” and undoes it', async ({
		page,
		browser,
	}) => {
		await page.goto('/answer')
		await expect(page).toHaveURL('/login?redirectTo=%2Fanswer')
		const expert = await enrol(page, 'Wilma Whittler')
		await teach(expert, 'Spoon carving')
		await page.goto('/settings')
		await page.getByRole('button', { name: 'Ask me', exact: true }).click()
		await expect(page).toHaveURL('/settings')
		await expect(page.getByRole('button', { name: 'Ask me', exact: true })).toHaveAttribute('aria-pressed', 'true')

		const asker = await withoutPage(browser)
		await enrol(asker, 'Olga Inquirer')
		const title = 'Which wood is best for a spoon?'
		const url = await ask(asker, title, 'spoon-carving')
		await openTold(page, title)
		await page.getByRole('button', { name: 'Not me' }).click()
		await expect(page).toHaveURL(url)
		await expectNotice(page, 'Noted. You will be asked less about Spoon carving.')
		await page.getByRole('button', { name: 'Undo' }).click()
		await expect(page).toHaveURL(url)
		await expect(page.getByRole('button', { name: 'Not me' })).toBeVisible()
		await page.goto('/answer')
		await page.getByRole('button', { name: 'Do not ask me' }).click()
		await expectNotice(page, 'You will not be asked any more.')
		await expect(page.getByRole('article').filter({ hasText: title })).toBeVisible()
	})
})
