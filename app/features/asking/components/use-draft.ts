import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { newKey } from '~/lib/new-key.ts'
import { isStorageOf, storageOwner } from '~/lib/private-storage.ts'
import { parseStored, writeStored } from '~/ui/form-kit.ts'
import type { AskValues, Draft } from '../asking.view.ts'
import {
	DraftSaver,
	fetchDraft,
	isEmptyDraft,
	isOutdated,
	isSame,
	type LocalDraft,
	localDraftKey,
	newerOf,
	parseLocalDraft,
	readLocalDraft,
	type SaverOptions,
} from './draft-saver.ts'

/** The notice about a restored draft. */
export interface Notice {
	kind: 'restored' | 'offered' | 'tab' | 'device' | 'gone'
	/** When the shown text was typed; ISO 8601. */
	at: string
	/** The other version, which the member may prefer. */
	other: Draft | null
}

interface DraftOptions {
	form: RefObject<HTMLFormElement | null>
	/** Username; null for a visitor, whose draft stays in this browser. */
	owner: string | null
	/** `ask`, or `edit:{id}`. */
	draftKey: string
	/** The values of an untouched form. */
	start: AskValues
	/** The version of the question that an edit is based on; 0 for a new one. */
	madeFrom: number
	/** The server's draft when the page was rendered; undefined if it has to be loaded. */
	stored: Draft | null | undefined
	/** Whether the address prefills the form: a draft is then offered instead of restored. */
	named: boolean
	/** The values of a rejected form, which take precedence. */
	refused: AskValues | null
	/** The idempotency key of a new question; '' for an edit or a visitor. */
	sendKey: string
}

/** The draft of a form: stored in this browser with each keystroke and on the server a little later, and restored when the form opens. */
export function useDraft(options: DraftOptions) {
	const draft = useDraftState(options)
	useRestoredDraft(draft, options)
	useOtherTabs(draft, options)
	const { base, live, notice, savedAt, sendKey, look, reset, saver, setNotice } = draft
	const { owner, start } = options

	const discard = (to: AskValues = start, madeFrom = options.madeFrom) => {
		writeStored(draft.name, null, owner)
		if (owner !== null) void saver.drop()
		reset(to, madeFrom)
	}
	const swap = () => {
		if (!notice?.other) return
		const before = draft.contents.current.values
		draft.sendWith(notice.other.sharedKey)
		draft.fill(notice.other)
		setNotice({
			...notice,
			at: notice.other.savedAt,
			other: isEmptyDraft(before) ? null : asDraft(before, notice.other),
		})
		draft.save()
	}
	/** Stores the key of a submission with the draft: sent again after a lost response and a reload, it creates no second question. */
	const noteSent = (key: string) => {
		draft.contents.current.sentAs = key
		const stored = readLocalDraft(draft.name)
		if (stored) writeStored(draft.name, { ...stored, sendKey: key }, owner)
	}
	return { base, live, notice, savedAt, sendKey, look, discard, swap, noteSent, close: () => setNotice(null) }
}

type DraftState = ReturnType<typeof useDraftState>

/** Whether another member has logged in in this browser since the page was loaded. */
function isForeign(owner: string | null): boolean {
	try {
		return owner !== null && storageOwner() !== null && !isStorageOf(owner)
	} catch {
		// A browser that forbids storage cannot tell.
		return false
	}
}

/** The values of the form, and what stores and replaces them. */
function useDraftState(options: DraftOptions) {
	const { form, owner, draftKey } = options
	const first = firstOf(options)
	const [base, setBase] = useState<{ values: AskValues; madeFrom: number; round: number }>({ ...first, round: 0 })
	const [notice, setNotice] = useState<Notice | null>(first.notice)
	const [live, setLive] = useState<AskValues>(first.values)
	const [savedAt, setSavedAt] = useState<string | null>(null)
	/** The idempotency key in place of the page's. */
	const [ownKey, setOwnKey] = useState<string | null>(null)
	const contents = useRef<Contents>({ values: first.values, madeFrom: first.madeFrom, sentAs: undefined })
	const name = localDraftKey(owner, draftKey)
	const sendWith = (key: string | undefined) => {
		if (key && options.sendKey) setOwnKey(key)
	}

	const onSaved: SaverOptions['onSaved'] = ({ version, replaced, sharedKey }, unsent, isFirst) => {
		// A draft that replaces another device's is another question.
		if (isFirst && !replaced && !contents.current.sentAs) sendWith(sharedKey)
		setSavedAt(new Date().toISOString())
		writeStored(name, { ...localOf(contents.current, version), unsent }, owner)
		if (replaced) setNotice({ kind: 'device', at: new Date().toISOString(), other: replaced })
	}
	const forget = () => writeStored(name, null, owner)
	const [saver] = useState(
		() =>
			new DraftSaver({
				key: draftKey,
				owner,
				isForeign: () => isForeign(owner),
				forget,
				read: () => unsaved(contents.current),
				onSaved,
			}),
	)

	const save = useCallback(() => {
		writeStored(name, isEmptyDraft(contents.current.values) ? null : localOf(contents.current, saver.version), owner)
		if (owner !== null) saver.touch()
	}, [name, owner, saver])

	/** Replaces the values, which remounts the fields. */
	const fill = useCallback((draft: AskValues & { madeFrom?: number }) => {
		const values = valuesOf(draft)
		const madeFrom = draft.madeFrom || contents.current.madeFrom
		contents.current = { ...contents.current, values, madeFrom }
		setLive(values)
		setBase(({ round }) => ({ values, madeFrom, round: round + 1 }))
	}, [])

	const look = useCallback(() => {
		const values = read(form.current)
		if (!values || isSame(values, contents.current.values)) return
		contents.current = { ...contents.current, values }
		setLive(values)
		save()
	}, [form, save])

	const reset = (to: AskValues, madeFrom: number) => {
		sendWith(newKey())
		contents.current = { values: to, madeFrom, sentAs: undefined }
		fill({ ...to, madeFrom })
		setNotice(null)
		setSavedAt(null)
	}
	/** The question was sent with this key before: sent again, it is the same one. */
	const resumeSending = (key: string | undefined) => {
		if (!key || !options.sendKey) return
		contents.current.sentAs = key
		setOwnKey(key)
	}
	const sendKey = ownKey ?? options.sendKey
	return {
		base,
		notice,
		live,
		savedAt,
		sendKey,
		contents,
		name,
		saver,
		setNotice,
		sendWith,
		resumeSending,
		save,
		fill,
		look,
		reset,
	}
}

/** Restores the stored draft when the form opens, or offers it where something was typed already. */
function useRestoredDraft(draft: DraftState, options: DraftOptions): void {
	const { form, owner, draftKey, stored, named, refused } = options
	const { contents, name, saver, setNotice, save, fill } = draft
	// biome-ignore lint/correctness/useExhaustiveDependencies: a form is opened once; what it was opened with does not change under it
	useEffect(() => {
		let closed = false
		const end = saver.start()
		const opened = firstOf(options).values
		const open = (server: Draft | null | undefined) => {
			saver.version = server?.version ?? 0
			const { draft: found, other, visitors, sentAs } = findDraft(owner, draftKey, server)
			draft.resumeSending(sentAs)
			// What was typed before the scripts ran, or during the request, is the newest.
			draft.look()
			const touched = named || refused !== null || !isSame(contents.current.values, opened) || isTypingTag(form.current)
			if (!found || isEmptyDraft(found) || isSame(found, contents.current.values)) return
			if (touched) return setNotice({ kind: 'offered', at: found.savedAt, other: found })
			if (!sentAs && !visitors) draft.sendWith(server?.sharedKey)
			fill(found)
			setNotice({ kind: 'restored', at: found.savedAt, other: other && !isSame(other, found) ? other : null })
			if (!visitors) return
			writeStored(localDraftKey(null, draftKey), null, null)
			save()
		}
		const mustFetch = stored === undefined || isOutdated(stored, readLocalDraft(name))
		if (owner === null || !mustFetch) open(stored)
		else void fetchDraft(draftKey).then((server) => !closed && open(server))
		return () => {
			closed = true
			end()
		}
	}, [saver])
}

/** Follows what other tabs of this browser do with the draft. */
function useOtherTabs(draft: DraftState, { owner, draftKey, start }: DraftOptions): void {
	const { contents, name, saver, setNotice, fill, reset } = draft
	const hear = (newer: LocalDraft) => {
		saver.version = Math.max(saver.version, newer.version)
		// If both tabs send it at the same time, it becomes one question.
		draft.resumeSending(newer.sendKey)
		const before = contents.current.values
		if (isSame(newer, before)) return
		fill(newer)
		// The other version is this tab's text from before the other tab's first keystroke; its later keystrokes do not replace it.
		const own = isEmptyDraft(before) ? null : asDraft(before, newer)
		setNotice((now) => ({ kind: 'tab', at: newer.savedAt, other: now?.kind === 'tab' ? now.other : own }))
	}
	/** The shown draft was posted or discarded in another tab: from here it could be posted again. */
	const hearGone = (last: LocalDraft) => {
		const { values, madeFrom } = contents.current
		// A save of an edit names the version that it started from. A visitor's draft has moved to their account.
		if (draftKey !== 'ask' || owner === null || !isSame(last, values)) return
		// A logout clears all drafts of this browser, and asks nothing.
		if (storageOwner() !== owner) return
		saver.version = 0
		reset(start, madeFrom)
		setNotice({ kind: 'gone', at: new Date().toISOString(), other: asDraft(values, { madeFrom, version: 0 }) })
	}
	useStoredChanges(name, hear, hearGone)
}

/** What the form contains now. */
interface Contents {
	values: AskValues
	madeFrom: number
	/** As `sendKey` of {@link LocalDraft}. */
	sentAs: string | undefined
}

/**
 * Reports changes of a stored draft by other tabs of this browser.
 * @param tell called with a saved draft
 * @param tellGone called with the last one when it is deleted
 */
function useStoredChanges(name: string, tell: (newer: LocalDraft) => void, tellGone: (last: LocalDraft) => void): void {
	const latest = useRef({ tell, tellGone })
	useEffect(() => {
		latest.current = { tell, tellGone }
	})
	useEffect(() => {
		const hear = ({ key, newValue, oldValue }: StorageEvent) => {
			if (key !== name) return
			const [newer, last] = [newValue, oldValue].map((text) => parseLocalDraft(parseStored(text)))
			if (newer) latest.current.tell(newer)
			else if (newValue === null && last) latest.current.tellGone(last)
		}
		window.addEventListener('storage', hear)
		return () => window.removeEventListener('storage', hear)
	}, [name])
}

/** Chooses the draft to restore; what a visitor typed in this browser before logging in is the newest. */
function findDraft(owner: string | null, key: string, server: Draft | null | undefined) {
	const name = localDraftKey(owner, key)
	const own = readLocalDraft(name)
	const found = newerOf(own, server)
	if (own && !found.draft) writeStored(name, null, owner)
	const visitors = owner !== null && key === 'ask' ? readLocalDraft(localDraftKey(null, key)) : null
	if (visitors) return { draft: visitors, other: found.draft, visitors: true, sentAs: undefined }
	const sentAs = own && found.draft && isSame(own, found.draft) ? own.sendKey : undefined
	return { ...found, visitors: false, sentAs }
}

/** The initial values, the same on the server and in the browser. */
function firstOf({ start, stored, named, refused, madeFrom }: DraftOptions) {
	if (refused) return { values: refused, madeFrom, notice: null }
	if (!stored || named || isEmptyDraft(stored)) return { values: start, madeFrom, notice: null }
	const notice: Notice = { kind: 'restored', at: stored.savedAt, other: null }
	return { values: valuesOf(stored), madeFrom: stored.madeFrom || madeFrom, notice }
}

function read(form: HTMLFormElement | null): AskValues | null {
	if (!form) return null
	const data = new FormData(form)
	const text = (name: string) => String(data.get(name) ?? '').replace(/\r\n?/g, '\n')
	return {
		title: text('title'),
		description: text('description'),
		tags: text('tags'),
		category: text('category'),
		pseudonym: data.has('pseudonym'),
	}
}

/** Whether a tag is being typed, which is not in a form field until it is added. */
function isTypingTag(form: HTMLFormElement | null): boolean {
	return !!form?.querySelector<HTMLInputElement>('input[role=combobox]')?.value
}

/** What the server has to store; null if there is nothing. */
function unsaved({ values, madeFrom }: Contents): ReturnType<SaverOptions['read']> {
	return isEmptyDraft(values) ? null : { ...values, madeFrom }
}

function valuesOf({ title, description, tags, category, pseudonym = false }: AskValues): AskValues {
	return { title, description, tags, category, pseudonym }
}

function localOf({ values, madeFrom, sentAs: sendKey }: Contents, version: number): LocalDraft {
	return { ...values, madeFrom, version, savedAt: new Date().toISOString(), unsent: true, sendKey }
}

function asDraft(values: AskValues, { madeFrom, version }: Pick<Draft, 'madeFrom' | 'version'>): Draft {
	return { ...values, madeFrom, version, savedAt: new Date().toISOString() }
}
