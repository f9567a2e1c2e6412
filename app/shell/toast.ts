import type { ReactNode } from 'react'
import type { FlashAction } from '~/lib/context.ts'

export interface Toast {
	id: number
	type: 'success' | 'error' | 'plain' | 'loading'
	message: ReactNode
	/** An action; the toast then stays for ten seconds. */
	action?: FlashAction
}

/** Milliseconds that a toast with an action stays. */
export const ACTION_TOAST_MS = 10_000

const MAX_TOASTS = 20

/** Milliseconds that a toast stays; a loading one stays until it is dismissed. */
export const toastTime: Record<Toast['type'], number> = {
	success: 2_000,
	error: 4_000,
	plain: 4_000,
	loading: Number.POSITIVE_INFINITY,
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/**
 * Shows a message in the corner of the page, newest first; beyond 20, the oldest is removed. Browser only: the server uses
 * `redirectWithToast`.
 * @returns its id, for {@link dismiss}
 */
export function toast(said: Omit<Toast, 'id'>): number {
	lastId += 1
	change([{ ...said, id: lastId }, ...toasts].slice(0, MAX_TOASTS))
	return lastId
}

/** Removes a toast, if it still exists. */
export function dismiss(id: number): void {
	change(toasts.filter((each) => each.id !== id))
}

/** The toasts of this tab as a store, for useSyncExternalStore. */
export const toastStore = {
	subscribe(listener: () => void): () => void {
		listeners.add(listener)
		return () => listeners.delete(listener)
	},
	read: (): readonly Toast[] => toasts,
	readOnServer: (): readonly Toast[] => none,
}

const none: readonly Toast[] = []

function change(next: readonly Toast[]): void {
	toasts = next
	for (const listener of listeners) listener()
}
