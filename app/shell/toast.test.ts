import { afterEach, expect, test, vi } from 'vitest'
import { dismiss, toast, toastStore } from './toast.ts'

afterEach(() => {
	for (const { id } of toastStore.read()) dismiss(id)
})

test('the newest toast comes first, and subscribers are notified', () => {
	const told = vi.fn()
	const stop = toastStore.subscribe(told)
	toast({ type: 'plain', message: 'first' })
	toast({ type: 'success', message: 'second' })
	stop()
	toast({ type: 'error', message: 'third' })
	expect(toastStore.read().map(({ message }) => message)).toEqual(['third', 'second', 'first'])
	expect(told).toHaveBeenCalledTimes(2)
})

test('at most twenty are kept: the oldest is removed', () => {
	for (let number = 1; number <= 21; number += 1) toast({ type: 'loading', message: String(number) })
	const messages = toastStore.read().map(({ message }) => message)
	expect(messages).toHaveLength(20)
	expect(messages).not.toContain('1')
})

test('a dismissed toast is removed, and dismissing it again changes nothing', () => {
	const id = toast({ type: 'loading', message: 'Saving...' })
	dismiss(id)
	dismiss(id)
	expect(toastStore.read()).toEqual([])
})

test('the server has no toasts of its own', () => {
	toast({ type: 'plain', message: 'x' })
	expect(toastStore.readOnServer()).toEqual([])
})
