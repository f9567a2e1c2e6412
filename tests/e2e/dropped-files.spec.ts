import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { enrol, expect, hydrated, settled, test } from './support/journey.ts'

/* Files that are dropped where a page takes none: the browser would open them, and leave what was typed. */

const folder = mkdtempSync(join(tmpdir(), 'devquad-dropped-'))
const file = join(folder, 'notes.txt')

test.beforeAll(() => writeFileSync(file, 'Not for the site.'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Step = 'dragEnter' | 'dragOver' | 'drop'

/** Drops a file as from the desktop. */
async function drop(page: Page, place: Locator, steps: Step[] = ['dragEnter', 'dragOver', 'drop']): Promise<void> {
	const box = await place.boundingBox()
	if (!box) throw new Error('There is nothing to drop on.')
	const session = await page.context().newCDPSession(page)
	const data = { items: [], files: [file], dragOperationsMask: 1 }
	for (const type of steps) await session.send('Input.dispatchDragEvent', { type, x: box.x + 20, y: box.y + 10, data })
	await session.detach()
}

test('a file that is dropped where nothing takes it is not opened, and the form stays', async ({ page }) => {
	const opened: string[] = []
	page.context().on('page', (tab) => opened.push(tab.url()))
	await page.goto('/forum/ask')
	await hydrated(page)
	const guarded = page.waitForResponse(/\/assets\/guard-/)
	await page.getByLabel('Title', { exact: true }).fill('Half a title')
	await guarded
	await settled(page)
	await drop(page, page.getByRole('textbox', { name: 'Description' }))
	await drop(page, page.getByRole('heading', { level: 1 }))
	await settled(page)
	await expect(page).toHaveURL('/forum/ask')
	await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Half a title')
	expect(opened).toEqual([])
})

test('a file can be dropped on a field for files, and a field that takes pictures shows it', async ({ page }) => {
	const username = await enrol(page, 'Dora Dropwell')
	await page.goto('/forum/ask')
	await page.getByLabel('Title', { exact: true }).fill('With a picture')
	await settled(page)
	const editor = page.locator('.editor')
	await drop(page, editor.getByRole('textbox'), ['dragEnter', 'dragOver'])
	await expect(editor).toHaveCSS('outline-style', 'dashed')
	await drop(page, page.getByRole('heading', { level: 1 }), ['dragEnter', 'dragOver'])
	await expect(editor).toHaveCSS('outline-style', 'none')
	await page.goto(`/edit-profile/${username}/import`)
	await settled(page)
	const field = page.locator('input[type="file"]').first()
	await drop(page, field)
	await expect.poll(() => field.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('notes.txt')
})
