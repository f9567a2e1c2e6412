import type { Page } from '@playwright/test'
import { enrol, expect, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

async function addProject(page: Page, title: string): Promise<void> {
	await page.getByLabel('Title').fill(title)
	await page.getByRole('button', { name: 'Add project' }).click()
	await expectNotice(page, 'Project added successfully!')
}

test('the focus returns from a dialog to what opened it, and stays in a list of which an item was deleted', async ({
	page,
}) => {
	const username = await enrol(page, 'Philippa Focus')
	await page.goto(`/edit-profile/${username}/projects`)
	for (const title of ['Tide table', 'Ferry radio']) await addProject(page, title)
	const remove = page.getByRole('link', { name: 'Delete Tide table' })
	for (const close of ['Keep it', 'Close']) {
		await remove.focus()
		await page.keyboard.press('Enter')
		await page.getByRole('dialog').getByRole('button', { name: close }).click()
		await expect(page.getByRole('dialog')).toHaveCount(0)
		await expect(remove).toBeFocused()
	}
	await page.keyboard.press('Enter')
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
	await expectNotice(page, 'Project Deleted Successfully')
	await expect(page.getByRole('heading', { name: 'Your projects' })).toBeFocused()
})
