import { type RefObject, useEffect } from 'react'
import type { FormRefusal } from '~/platform/http/form.ts'
import { toast } from '~/shell/toast.ts'

/**
 * Leads to the conflict of a refused form, or to its first wrong field. A refusal that is about neither is said as a toast.
 * @param within the form, or something in it
 * @param isSilent for a form that says it itself, where the toast would be too much
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
 * Says in a toast why a form was refused, unless one field says it. Without scripts the box above the form says it alone.
 * @param refusal what the action answered; undefined before the form was sent
 */
export function useRefusalToast(refusal: FormRefusal | undefined): void {
	useEffect(() => {
		if (!refusal || Object.keys(refusal.errors).length === 1) return
		toast({ type: 'error', message: refusal.message.replace(/ \[[A-Z_]+\]/g, '') })
	}, [refusal])
}

/**
 * What this browser keeps of a form that was not sent yet.
 * @returns undefined where there is nothing, or nothing that can be read
 */
export function readStored(name: string): unknown {
	try {
		return parseStored(localStorage.getItem(name))
	} catch {
		return undefined
	}
}

/** The value of a stored text, such as an event of the store brings; undefined for none. */
export function parseStored(text: string | null): unknown {
	try {
		return JSON.parse(text ?? '')
	} catch {
		return undefined
	}
}

/** Keeps a value for {@link readStored}; null removes it. A browser may forbid the store, and it may be full: then nothing is kept. */
export function writeStored(name: string, value: object | null): void {
	try {
		if (value) localStorage.setItem(name, JSON.stringify(value))
		else localStorage.removeItem(name)
	} catch {
		// The text is then kept no longer than its form.
	}
}
