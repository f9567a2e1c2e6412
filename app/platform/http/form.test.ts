import { data, redirect } from 'react-router'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import { EditConflict, KeyReused, readVersion, refuseForm, requireSameAsStored, requireVersion } from './form.server.ts'
import { formValues, submitForm } from './form.ts'

function formOf(fields: [string, string | Blob][]): FormData {
	const form = new FormData()
	for (const [name, value] of fields) form.append(name, value)
	return form
}

test('form values are its texts: repeated names joined, no files, no passwords', () => {
	const fields: [string, string | Blob][] = [
		...([
			['open', 'work'],
			['open', 'mentoring'],
			['empty', ''],
			['newPassword', 'secret'],
		] as [string, string][]),
		['picture', new File(['x'], 'x.png')],
	]
	expect(formValues(formOf(fields))).toEqual({ open: 'work, mentoring', empty: '' })
})

const saved = { version: 4, values: { title: 'One', tags: 'a, b', listed: 'on', year: '' } }

test.each([
	[{ title: 'One', tags: ['a', 'b'], listed: true, year: null }, false],
	[{ title: 'One' }, false],
	[{ title: 'Another' }, true],
	[{ tags: ['a'] }, true],
	[{ listed: false }, true],
	[{ year: 2 }, true],
])('a late save of %j is a conflict: %s', (sent, isConflict) => {
	if (isConflict) expect(() => requireSameAsStored(saved, sent)).toThrow(EditConflict)
	else requireSameAsStored(saved, sent)
})

test.each([
	[{ version: '3' }, 3, 3],
	[{ version: 3 }, 3, 3],
	[{ version: '' }, null, Invalid],
	[{}, null, Invalid],
	[{ version: '0' }, Invalid, Invalid],
	[{ version: 'x' }, Invalid, Invalid],
	[{ version: 2 ** 31 }, Invalid, Invalid],
])('the version of %j is %s, or %s where it is required', (input, optional, required) => {
	for (const [read, expected] of [
		[readVersion, optional],
		[requireVersion, required],
	] as const)
		if (expected === Invalid) expect(() => read(input)).toThrow(Invalid)
		else expect(read(input)).toBe(expected)
})

test('a rejected form returns the errors, what was typed and what is stored', () => {
	const form = formOf([
		['title', 'Mine'],
		['key', 'used'],
	])
	const values = { title: 'Mine', key: 'used' }
	const told = (error: unknown, unexpected?: string) => refuseForm(error, form, unexpected)
	expect(told(new Invalid('No.', { title: 'No.' })).data).toEqual({
		...{ message: 'No.', errors: { title: 'No.' }, values, stored: null },
	})
	const conflict = told(new EditConflict(saved))
	expect(conflict.init?.status).toBe(409)
	expect(conflict.data).toMatchObject({ errors: {}, values, stored: saved })
	expect(told(new TooManyRequests('Later.', 7)).init).toMatchObject({ status: 429, headers: { 'Retry-After': '7' } })
	expect(told(new KeyReused()).data.values).toMatchObject({
		title: 'Mine',
		key: expect.not.stringMatching(/^(used)?$/),
	})
	const bug = new Error('A bug.')
	expect(told(bug, 'Try again!')).toMatchObject({ data: { message: 'Try again!', values }, init: { status: 500 } })
	expect(() => told(bug)).toThrow(bug)
	expect(() => told(redirect('/login'), 'Try again!')).toThrow()
})

const schema = z.object({ title: z.string().min(3, 'Too short.') })

test.each<[string, Record<string, string>, () => unknown, object]>([
	[
		'is checked first',
		{ title: 'x' },
		() => 'sent',
		{ data: { errors: { title: 'Too short.' }, values: { title: 'x' } } },
	],
	['is not checked when it deletes', { title: 'x', intent: 'delete' }, () => ({ is: 'sent' }), { is: 'sent' }],
	['is sent', { title: 'long' }, () => ({ is: 'sent' }), { is: 'sent' }],
	[
		'stays when no answer comes',
		{ title: 'long' },
		() => Promise.reject(new TypeError('Failed to fetch')),
		{ data: { message: 'Lost.', values: { title: 'long' } }, init: { status: 503 } },
	],
])('a form %s', async (_what, fields, answer, expected) => {
	const serverAction = vi.fn(async () => answer())
	const request = new Request('http://site.test/', { method: 'POST', body: new URLSearchParams(fields) })
	expect(await submitForm({ request, serverAction }, { schema, failure: 'Lost.' })).toMatchObject(expected)
	expect(serverAction).toHaveBeenCalledTimes('is' in expected || 'init' in expected ? 1 : 0)
})

test('a form follows a redirect, and shows an error page unless it stays', async () => {
	const request = () =>
		new Request('http://site.test/', { method: 'POST', body: new URLSearchParams({ title: 'long' }) })
	const submit = (thrown: unknown, staysOnPage: boolean) =>
		submitForm({ request: request(), serverAction: () => Promise.reject(thrown) }, { staysOnPage })
	const to = redirect('/forum')
	await expect(submit(to, true)).rejects.toBe(to)
	const page = { ...data({}, 413), status: 413, statusText: '', internal: false, data: {} }
	await expect(submit(page, false)).rejects.toBe(page)
	expect(await submit(page, true)).toMatchObject({ data: { message: 'Something went wrong!' } })
	const gone = { ...page, status: 404, data: { message: 'It is gone.' } }
	expect(await submit(gone, true)).toMatchObject({ data: { message: 'It is gone.', values: { title: 'long' } } })
})
