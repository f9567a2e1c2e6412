import { type RefObject, useEffect } from 'react'
import { isStorageOf } from '~/lib/private-storage.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { toast } from '~/shell/toast.ts'

/**
 * Scrolls to the conflict of a rejected form, or focuses its first wrong field. Other errors become a toast.
 * @param within the form, or an element in it
 * @param isSilent for a form that shows such an error itself
 */
export function useRefusal(within: RefObject<HTMLElement | null>, refusal: FormRefusal | null, isSilent = false): void {
	useEffect(() => {
		if (!refusal) return
		const isForFields = Object.keys(refusal.errors).length > 0
		if (!isSilent && !refusal.stored && !isForFields) toast({ type: 'error', message: refusal.message })
		const form = within.current?.closest('form')
		form?.querySelector<HTMLElement>('[data-conflict], [aria-invalid="true"]')?.focus()
	}, [within, refusal, isSilent])
}

/**
 * Shows the error of a form as a toast, unless exactly one field shows it. Without scripts only the error above the form is shown.
 * @param refusal the result of the action; undefined before the form was sent
 */
export function useRefusalToast(refusal: FormRefusal | undefined): void {
	useEffect(() => {
		if (!refusal || Object.keys(refusal.errors).length === 1) return
		toast({ type: 'error', message: refusal.message.replace(/ \[[A-Z_]+\]/g, '') })
	}, [refusal])
}

/**
 * Reads unsent form data that this browser has stored.
 * @returns undefined for nothing, or nothing readable
 */
export function readStored(name: string): unknown {
	try {
		return parseStored(localStorage.getItem(name))
	} catch {
		return undefined
	}
}

/** Parses a stored text, such as of a storage event; undefined for none. */
export function parseStored(text: string | null): unknown {
	try {
		return JSON.parse(text ?? '')
	} catch {
		return undefined
	}
}

/**
 * Stores a value for {@link readStored}; null removes it. Storage may be forbidden or full: then nothing is stored.
 * @param member username, for whom the page was loaded: once the browser is another member's, nothing changes; null for a visitor
 */
export function writeStored(name: string, value: object | null, member: string | null): void {
	try {
		if (member !== null && !isStorageOf(member)) return
		if (value) localStorage.setItem(name, JSON.stringify(value))
		else localStorage.removeItem(name)
	} catch {
		// The text is then lost with its form.
	}
}
