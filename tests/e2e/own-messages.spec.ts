import type { Page } from '@playwright/test'
import pg from 'pg'
import { siteDatabase } from '../support/site-process.ts'
import { composer, post, say, texts, withFriend, withoutScripts } from './support/chat.ts'
import { enrol, expect, expectNoViolations, hydrated, test } from './support/journey.ts'

async function connected(): Promise<pg.Client> {
	const { DATABASE_URL, SITE_DATA_DIR = '' } = process.env
	const client = new pg.Client(DATABASE_URL ? { connectionString: DATABASE_URL } : siteDatabase(SITE_DATA_DIR))
	await client.connect()
	return client
}

/** As many strangers as `count` write to a member once. */
async function requested(username: string, count: number): Promise<void> {
	const client = await connected()
	await client.query(
		`with me as (select id from users where username = $1),
		strangers as (
			insert into users (username, name, email)
			select 'stranger' || n, 'Stranger ' || n, 'stranger' || n || '@none.example' from generate_series(1, $2::int) as n returning id),
		started as (
			insert into conversations (lower_id, higher_id, started_by, version)
			select me.id, strangers.id, strangers.id, 1 from strangers, me returning id, lower_id, higher_id),
		sent as (
			insert into messages (conversation_id, sender_id, recipient_id, client_id, body, html, version)
			select id, higher_id, lower_id, gen_random_uuid(), 'May I ask?', '<p>May I ask?</p>', 1 from started order by higher_id
			returning id, conversation_id, sender_id, recipient_id)
		insert into conversation_members (conversation_id, user_id, last_message_id, unread, pending)
		select conversation_id, member, id, (member = recipient_id)::int, member = recipient_id
		from sent, unnest(array[sender_id, recipient_id]) as member`,
		[username, count],
	)
	await client.end()
}

/** Ages a conversation by a year: one message from then, and as many as `count` since. */
async function longAgo(first: string, second: string, count = 300): Promise<void> {
	const client = await connected()
	await client.query(`update messages set sent_at = sent_at - interval '2 years'`)
	await client.query(
		`with pair as (
			update conversations set version = version + $3::int + 1 from users one, users two
			where one.username = $1 and two.username = $2 and lower_id in (one.id, two.id) and higher_id in (one.id, two.id)
			returning conversations.id, one.id as one, two.id as two, version - $3::int - 1 as version)
		insert into messages (conversation_id, sender_id, recipient_id, client_id, body, html, version, sent_at)
		select id, case when n % 2 = 0 then one else two end, case when n % 2 = 0 then two else one end, gen_random_uuid(), text,
			'<p>' || text || '</p>', version + n + 1, now() - interval '1 year' + n * interval '1 day'
		from pair, generate_series(0, $3::int) as n, lateral (
			select case when n = 0 then 'The Résumé workshop is in room twelve' else 'Line ' || n end as text) as body order by n`,
		[first, second, count],
	)
	await client.query(`update conversation_members mine set last_message_id = (
		select max(id) from messages where conversation_id = mine.conversation_id)`)
	await client.end()
}

const list = (page: Page) => page.locator('.chat-scroll')
/** Whether this message is visible in the list. */
const isSeen = (page: Page, text: string) =>
	page
		.locator('.chat-message')
		.filter({ hasText: text })
		.evaluate((element) => {
			const [own, room] = [element, element.closest('.chat-scroll') as Element].map((each) =>
				each.getBoundingClientRect(),
			)
			return !!own && !!room && own.top >= room.top - 1 && own.bottom <= room.bottom + 1
		})

test('keyboard only: a misspelled word finds a message from a year ago, which opens in place', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Lookback', 'Bo Lookback'])
	// Several pages, through which the keyboard goes line by line.
	const count = 130
	await longAgo(ada.username, bo.username, count)
	await page.goto('/messages')
	await hydrated(page)
	await page.getByRole('searchbox', { name: 'Search messages' }).focus()
	await page.keyboard.type('resmue workshop')
	await page.keyboard.press('Enter')
	await expect(page.getByRole('status').filter({ hasText: 'Similar ones:' })).toBeVisible()
	const hit = page.getByRole('list', { name: 'Found messages' }).getByRole('link')
	await expect(hit.locator('mark')).toHaveText(['Résumé', 'workshop'])
	await expectNoViolations(page)
	while (!(await hit.evaluate((element) => element === document.activeElement))) await page.keyboard.press('Tab')
	await page.keyboard.press('Enter')
	const found = page.locator('.chat-message[data-found]')
	await expect(found).toBeFocused()
	await expect(found).toContainText('The message you looked for. You: The Résumé workshop is in room twelve')
	expect(await isSeen(page, 'room twelve')).toBe(true)
	await expect(hit).toHaveAttribute('aria-current', 'true')
	await expectNoViolations(page)

	// Going down, page after page loads until the conversation is live again, and the text being read stays in place.
	expect(await texts(page)).not.toContain(`Line ${count}`)
	await post(bo, ada, 'Meanwhile')
	// Reading old messages does not mark new ones as read.
	const unread = async () => (await (await page.request.get('/messages/latest')).json()).unread
	expect(await unread()).toBe(1)
	for (let line = 0; line < count; line += 1) await page.keyboard.press('ArrowDown')
	await expect(async () => {
		for (let line = 0; line < 20; line += 1) await page.keyboard.press('ArrowDown')
		expect(await page.locator('.chat-message:focus').textContent()).toContain('Meanwhile')
	}).toPass()
	await expect.poll(unread).toBe(0)
	const all = await texts(page)
	expect(all.slice(all.indexOf('Line 1'), all.indexOf(`Line ${count}`) + 1)).toEqual(
		Array.from({ length: count }, (_, index) => `Line ${index + 1}`),
	)
	expect(new Set(all).size).toBe(all.length)
	await post(bo, ada, 'And live again')
	await expect(list(page).getByText('And live again')).toBeVisible()
	await bo.page.context().close()
})

test('from an old message the reader jumps to the newest or replies; its link works again, also without scripts', async ({
	page,
	browser,
}) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Bookmark', 'Bo Bookmark'])
	await longAgo(ada.username, bo.username)
	await page.goto(`/messages/${bo.username}?q=twelve`)
	await hydrated(page)
	await page.getByRole('list', { name: 'Found messages' }).getByRole('link').click()
	await expect(page.locator('.chat-message[data-found]')).toBeFocused()
	const link = page.url()
	await page.getByRole('button', { name: 'Jump to newest' }).click()
	await expect(page).toHaveURL(`/messages/${bo.username}?q=twelve`)
	await expect.poll(() => isSeen(page, 'Line 300')).toBe(true)
	await expect(page.getByText('room twelve')).toHaveCount(1)
	await expect(page.getByRole('button', { name: 'Jump to newest' })).toHaveCount(0)

	await page.goto(link)
	await hydrated(page)
	await expect.poll(() => isSeen(page, 'room twelve')).toBe(true)
	// An edit reloads the page's data and moves nobody.
	await say(page, 'An answer after a year')
	const answer = page.locator('.chat-message').filter({ hasText: 'An answer after a year' })
	// The key edits a stored message. Until this one is stored, it edits the previous one.
	await expect(answer.getByTitle(/^(Sent|Delivered)$/)).toBeVisible()
	await expect(page.getByRole('button', { name: 'Jump to newest' })).toHaveCount(0)
	await composer(page).press('ArrowUp')
	await composer(page).fill('An answer, after a year')
	await composer(page).press('Enter')
	await expect(list(page).getByText('An answer, after a year')).toBeVisible()
	expect(await isSeen(page, 'after a year')).toBe(true)

	const reader = await withoutScripts(page, { viewport: { width: 390, height: 844 } })
	await reader.goto(link)
	await expect(reader.locator('.chat-message[data-found]')).toBeInViewport()
	await reader.getByRole('link', { name: 'Newer messages' }).click()
	await expect(reader.getByText('Line 26', { exact: true })).toHaveCount(1)
	await expect(reader.getByText('room twelve')).toHaveCount(0)
	await reader.getByRole('link', { name: 'Jump to newest' }).click()
	await expect(list(reader).getByText('An answer, after a year')).toBeVisible()
	await bo.page.context().close()
})

test('a result on a later page of a search opens beside that page', async ({ page, browser }) => {
	const [ada, bo] = await withFriend(page, browser, ['Ada Laterpage', 'Bo Laterpage'])
	await longAgo(ada.username, bo.username)
	await page.goto('/messages?q=line')
	await hydrated(page)
	const hits = page.getByRole('list', { name: 'Found messages' }).getByRole('link')
	await page.getByRole('link', { name: 'Older messages' }).click()
	await expect(hits.first()).toContainText('Line 270')
	await hits.first().click()
	await expect(page.locator('.chat-message[data-found]')).toContainText('Line 270')
	await expect(hits.first()).toContainText('Line 270')
	await expect(hits.first()).toHaveAttribute('aria-current', 'true')
	await page.setViewportSize({ width: 390, height: 844 })
	await page.getByRole('link', { name: 'Back to the search' }).click()
	await expect(hits.first()).toContainText('Line 270')
	await bo.page.context().close()
})

test('a member with more message requests than a page holds finds all of them', async ({ page }) => {
	await requested(await enrol(page, 'Rita Requested'), 31)
	await page.goto('/messages')
	const all = page.getByText('30 requests and more')
	await expect(all).toBeVisible()
	await all.click()
	const requests = page.getByRole('list', { name: 'Requests' }).getByRole('link')
	await expect(requests).toHaveCount(30)
	await page.getByRole('link', { name: 'Older requests' }).click()
	await expect(requests).toHaveCount(1)
	await expect(requests).toContainText('Stranger 1')
	await expect(page.getByRole('link', { name: 'Older requests' })).toHaveCount(0)
})
