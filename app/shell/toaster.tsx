import { CircleAlert, CircleCheck, Info, LoaderCircle, X } from 'lucide'
import { type FocusEvent, type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { FlashAction } from '~/lib/context.ts'
import { useRootData } from '~/lib/root-data.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form } from '~/ui/link.tsx'
import { ACTION_TOAST_MS, dismiss, type Toast, toastStore, toastTime } from './toast.ts'

const icons = { success: CircleCheck, error: CircleAlert, plain: Info, loading: LoaderCircle }

/** Toasts that are shown in full; older ones are stacked below. */
const MAX_SHOWN = 3

/**
 * The toasts in the corner of the page: those of this tab, and a redirect's, which the server renders too. Hovering or focusing any
 * of them pauses all timers.
 */
export function Toaster() {
	const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.read, toastStore.readOnServer)
	const { flash, now } = useRootData()
	const [newest, setNewest] = useState(flash)
	const [carried, setCarried] = useState(flash && { flash, key: now })
	const section = useRef<HTMLElement>(null)
	// It stays for its time, even if the root data is reloaded before.
	if (flash && flash !== newest) {
		setNewest(flash)
		setCarried({ flash, key: now })
	}
	const room = carried ? MAX_SHOWN - 1 : MAX_SHOWN
	const waiting = toasts.length - room
	const all = toasts.length + (carried ? 1 : 0)

	const { paused, handlers } = usePause(section, all)

	return (
		<section
			ref={section}
			// Without scripts it stays, so it must not cover the buttons of forms.
			className="toasts fixed right-4 bottom-[calc(1rem+var(--toasts-lift,0px))] z-(--z-toast) grid noscript:top-18 noscript:bottom-auto w-[min(22.5rem,calc(100vw-2rem))] gap-2"
			aria-label="Notices"
			aria-live="polite"
			{...handlers}
		>
			{waiting > 0 && <p className="chip ml-auto bg-raised">and {waiting} earlier</p>}
			{toasts
				.slice(0, room)
				.reverse()
				.map((each) => (
					<ToastCard key={each.id} {...each} paused={paused} onDone={() => dismiss(each.id)} />
				))}
			{carried && <ToastCard key={carried.key} {...carried.flash} paused={paused} onDone={() => setCarried(null)} />}
		</section>
	)
}

/**
 * Whether the pointer or the focus is on a toast. The focus returns to where it was when the toast that has it is removed.
 * @param count of toasts: removing one that has the pointer or the focus fires no event
 */
function usePause(section: RefObject<HTMLElement | null>, count: number) {
	const [isHovered, setHovered] = useState(false)
	const [isFocused, setFocused] = useState(false)
	const before = useRef<Element | null>(null)
	useEffect(() => {
		if (count === 0) setHovered(false)
		if (!isFocused || section.current?.contains(document.activeElement)) return
		setFocused(false)
		if (document.activeElement === document.body && before.current instanceof HTMLElement) before.current.focus()
	}, [section, count, isFocused])
	const onFocus = ({ relatedTarget, currentTarget }: FocusEvent) => {
		if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget
		setFocused(true)
	}
	return {
		paused: isHovered || isFocused,
		handlers: {
			onPointerEnter: () => setHovered(true),
			onPointerLeave: () => setHovered(false),
			onFocus,
			onBlur: () => setFocused(false),
		},
	}
}

interface ToastCardProps extends Omit<Toast, 'id'> {
	paused: boolean
	onDone: () => void
}

/** One toast, which counts down its own time while not paused. */
export function ToastCard({ type, message, action, paused, onDone }: ToastCardProps) {
	const left = useRef(action ? ACTION_TOAST_MS : toastTime[type])
	const done = useRef(onDone)
	done.current = onDone

	useEffect(() => {
		if (paused || left.current === Number.POSITIVE_INFINITY) return
		const since = Date.now()
		const timer = setTimeout(() => done.current(), left.current)
		return () => {
			clearTimeout(timer)
			left.current = Math.max(500, left.current - (Date.now() - since))
		}
	}, [paused])

	return (
		<div className="toast" data-type={type} role={type === 'error' ? 'alert' : undefined}>
			<Icon of={icons[type]} className={type === 'loading' ? 'spin' : ''} />
			<p className="min-w-0 font-semibold wrap-anywhere">{message}</p>
			{action && <ActionForm action={action} onSent={() => done.current()} />}
			<button
				type="button"
				className="icon-btn icon-btn-sm noscript:hidden"
				aria-label="Dismiss"
				onClick={() => done.current()}
			>
				<Icon of={X} className="icon-sm" />
			</button>
		</div>
	)
}

/** The action of a toast; a plain form, so that it works without scripts too. */
function ActionForm({ action: { label, to, fields }, onSent }: { action: FlashAction; onSent: () => void }) {
	return (
		<Form
			className="ml-auto flex-none"
			method="post"
			action={to}
			replace
			// The form must be removed only after it was sent.
			onSubmit={() => setTimeout(onSent)}
		>
			{Object.entries(fields).map(([name, value]) => (
				<input key={name} type="hidden" name={name} value={value} />
			))}
			<button className="btn btn-sm btn-ghost" type="submit">
				{label}
			</button>
		</Form>
	)
}
