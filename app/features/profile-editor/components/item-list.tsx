import { ArrowDown, ArrowUp, GripVertical, Pencil, Pin, Trash2 } from 'lucide'
import { type RefObject, useEffect, useRef } from 'react'
import { useLocation, useNavigation, useSearchParams, useSubmit } from 'react-router'
import { Picture } from '~/features/pictures/components/picture.tsx'
import type { PictureView } from '~/features/pictures/pictures.view.ts'
import { EmptySection } from '~/features/profiles/components/sections.tsx'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { type DeleteConfirmation, DeleteControl, DeleteSection } from '~/ui/delete-control.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { busyButtonProps } from '~/ui/submit-button.tsx'

interface Item {
	id: string
	title: string
	image: PictureView | null
	/** A line below the title. */
	note: string
	link?: { label: string; url: string } | '' | undefined
	pinned?: boolean
	/** Items cannot move between parts of a list. */
	part?: string
}

interface ItemListProps {
	/** “certificate”, “project”. */
	what: string
	title: string
	empty: string
	items: Item[]
	/** The version of the list's order. */
	version: number
	/** Whether items can be pinned. */
	pins?: boolean
}

/** A member's items, with buttons to move, edit and delete each. */
export function ItemList({ what, title, empty, items, version, pins = false }: ItemListProps) {
	const { pathname } = useLocation()
	const [search] = useSearchParams()
	// A second step would name the version of the order that the first one is changing.
	const isMoving = useNavigation().formData?.get('intent') === 'order'
	const form = `order-of-${what}`
	const list = useDragging(version)
	useFocusOfRow(list, items, `your-${what}`)
	const deleting = items.find(({ id }) => id === search.get('delete'))
	return (
		<section className="mt-10" aria-labelledby={`your-${what}`}>
			<SectionHeading id={`your-${what}`} title={title}>
				<span className="num">{items.length}</span>
			</SectionHeading>
			{deleting && <DeleteSection question={questionOf(deleting, pathname)} keepHref={pathname} />}
			{items.length === 0 && <EmptySection>{empty}</EmptySection>}
			<Form id={form} method="post" action={pathname} preventScrollReset replace>
				<input type="hidden" name="intent" value="order" />
				<input type="hidden" name="version" value={version} />
			</Form>
			<ul ref={list}>
				{items.map((item, index) => (
					<Row
						key={item.id}
						item={item}
						form={form}
						pins={pins}
						isMoving={isMoving}
						isFirst={partOf(items[index - 1]) !== partOf(item)}
						isLast={partOf(items[index + 1]) !== partOf(item)}
					/>
				))}
			</ul>
		</section>
	)
}

const partOf = (item: Item | undefined) => item && (item.part ?? String(item.pinned))

function questionOf(item: Item, pathname: string): DeleteConfirmation {
	return {
		title: `Delete “${item.title}”?`,
		text: 'It disappears from your public profile now. This cannot be undone.',
		action: pathname,
		fields: { intent: 'delete', item: item.id },
		href: `${pathname}?delete=${item.id}`,
	}
}

interface RowProps {
	item: Item
	/** The id of the form that moves items. */
	form: string
	pins: boolean
	/** Whether a change of the order is being saved. */
	isMoving: boolean
	isFirst: boolean
	isLast: boolean
}

function Row(props: RowProps) {
	const { item, isFirst, isLast } = props
	const hydrated = useHydrated()
	return (
		<li
			className="flex items-center gap-3 border-b border-line bg-paper py-3 max-sm:flex-wrap sm:gap-4"
			data-item={item.id}
			data-part={partOf(item)}
		>
			{hydrated && !(isFirst && isLast) && (
				<span className="-mr-2 cursor-grab touch-none text-ink-3 sm:-ml-1" data-handle aria-hidden="true">
					<Icon of={GripVertical} />
				</span>
			)}
			{item.image && (
				<Picture
					className="h-14 w-20 flex-none rounded-sm border border-line object-cover"
					picture={item.image}
					alt=""
					sizes="5rem"
				/>
			)}
			<div className="min-w-0 flex-1">
				<h3 className="truncate text-md leading-5 font-semibold">{item.title}</h3>
				{item.note && <p className="mt-0.5 text-sm text-ink-3">{item.note}</p>}
			</div>
			{item.link && (
				<a
					className="link text-sm max-sm:hidden"
					href={item.link.url}
					rel="nofollow noopener"
					aria-label={`${item.link.label} ${item.title}`}
				>
					{item.link.label}
				</a>
			)}
			<RowButtons {...props} />
		</li>
	)
}

function RowButtons({ item, form, pins, isMoving, isFirst, isLast }: RowProps) {
	const { pathname } = useLocation()
	return (
		<span className="flex flex-none max-sm:w-full max-sm:justify-end">
			{pins && (
				<button
					type="submit"
					className="icon-btn"
					form={form}
					name="move"
					value={`${item.pinned ? 'unpin' : 'pin'}:${item.id}`}
					data-pressed={item.pinned || undefined}
					aria-pressed={item.pinned}
					aria-label={`Pin ${item.title}`}
					title="Pinned ones come first"
					data-step="pin"
					{...busyButtonProps(isMoving)}
				>
					<Icon of={Pin} />
				</button>
			)}
			{!(isFirst && isLast) && (
				<>
					<Step step="up" item={item} form={form} disabled={isFirst} isMoving={isMoving} />
					<Step step="down" item={item} form={form} disabled={isLast} isMoving={isMoving} />
				</>
			)}
			<Link className="icon-btn" to={`${pathname}?edit=${item.id}`} aria-label={`Edit ${item.title}`}>
				<Icon of={Pencil} />
			</Link>
			<DeleteControl
				question={questionOf(item, pathname)}
				className="icon-btn hover:text-red"
				label={`Delete ${item.title}`}
			>
				<Icon of={Trash2} />
			</DeleteControl>
		</span>
	)
}

interface StepProps {
	step: 'up' | 'down'
	item: Item
	form: string
	disabled: boolean
	isMoving: boolean
}

function Step({ step, item, form, disabled, isMoving }: StepProps) {
	return (
		<button
			type="submit"
			className="icon-btn"
			form={form}
			name="move"
			value={`${step}:${item.id}`}
			aria-label={`Move ${item.title} ${step}`}
			data-step={step}
			{...busyButtonProps(disabled || isMoving)}
			aria-busy={isMoving || undefined}
		>
			<Icon of={step === 'up' ? ArrowUp : ArrowDown} className={disabled ? 'opacity-35' : undefined} />
		</button>
	)
}

/** Makes the items draggable once the script is loaded. @param version of the order */
function useDragging(version: number) {
	const list = useRef<HTMLUListElement>(null)
	const submit = useSubmit()
	const latest = useRef({ version, submit })
	useEffect(() => {
		latest.current = { version, submit }
	})
	useEffect(() => {
		const ended = new AbortController()
		const save = (order: string[]) => {
			const { version: now, submit: send } = latest.current
			const fields = { intent: 'order', version: String(now), order: order.join(',') }
			void send(fields, { method: 'post', preventScrollReset: true, replace: true })
		}
		void import('../client/drag-order.ts').then(({ enableDragging }) => {
			if (list.current && !ended.signal.aborted) enableDragging(list.current, save, ended.signal)
		})
		return () => ended.abort()
	}, [])
	return list
}

/**
 * Restores the focus, which browsers lose when its row moves or is deleted: to the pressed button, or else to the list's heading.
 * @param heading its id
 */
function useFocusOfRow(list: RefObject<HTMLUListElement | null>, items: Item[], heading: string): void {
	const length = useRef(items.length)
	const pressed = useRef<{ item: string; step: string } | null>(null)
	useEffect(() => {
		const element = list.current
		const note = ({ target }: MouseEvent) => {
			const button = (target as Element).closest<HTMLElement>('[data-step]')
			const item = button?.closest<HTMLElement>('[data-item]')?.dataset.item
			pressed.current = button && item ? { item, step: button.dataset.step ?? '' } : null
		}
		element?.addEventListener('click', note)
		return () => element?.removeEventListener('click', note)
	}, [list])
	// biome-ignore lint/correctness/useExhaustiveDependencies: looked at when the rows stand in another order
	useEffect(() => {
		const isShorter = items.length < length.current
		length.current = items.length
		const { item, step } = pressed.current ?? {}
		if (document.activeElement !== document.body) return
		if (isShorter) focusHeading(heading)
		else if (item) list.current?.querySelector<HTMLElement>(`[data-item="${item}"] [data-step="${step}"]`)?.focus()
	}, [items.map(({ id }) => id).join()])
}

function focusHeading(id: string): void {
	const heading = document.getElementById(id)
	if (!heading) return
	heading.tabIndex = -1
	heading.focus()
}
