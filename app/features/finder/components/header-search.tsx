import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { lazyWithRetry } from '~/shell/guarded.ts'
import { Link } from '~/ui/link.tsx'
import { searchRoute } from '../finder.paths.ts'
import { SearchField } from './search-field.tsx'

const Switcher = lazyWithRetry(() => import('./switcher.tsx'))

/** Closing it moves the focus back, before the dialog in its place takes it. */
function showModal(dialog: HTMLDialogElement) {
	dialog.showModal()
	return () => dialog.close()
}

/**
 * The search in the header: a field if there is room, otherwise a link; and the switcher, which opens with Ctrl or ⌘ K on any page. Its
 * script is loaded on first use; meanwhile a plain field takes what is typed.
 * @param children replaces the field on some pages
 */
export function HeaderSearch({ children }: { children?: ReactNode }) {
	const { viewer } = useRootData()
	const [isOpen, setOpen] = useState<boolean | null>(null)
	const typed = useRef('')
	useEffect(() => {
		const press = (event: KeyboardEvent) => {
			const { key, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event
			// In a rich-text field this shortcut inserts a link. Browsers report what they fill in themselves as a key without a name.
			if (key?.toLowerCase() !== 'k' || ctrlKey === metaKey || shiftKey || altKey || defaultPrevented) return
			event.preventDefault()
			setOpen(true)
		}
		document.addEventListener('keydown', press)
		return () => document.removeEventListener('keydown', press)
	}, [])
	return (
		<>
			{children ?? (
				<>
					<div className="ml-auto hidden min-w-0 max-w-96 flex-1 lg:block">
						<SearchField>
							<kbd className="kbd">Ctrl K</kbd>
						</SearchField>
					</div>
					{/* On a phone the login buttons leave no room; the side menu has the link. */}
					<Link
						className={`icon-btn ml-auto max-md:size-11 lg:hidden ${viewer ? 'max-[16rem]:hidden' : 'max-sm:hidden'}`}
						to={searchRoute}
						aria-label="Search"
						data-icon="find"
					/>
				</>
			)}
			{isOpen !== null && (
				<Suspense
					fallback={
						<dialog ref={showModal} className="dialog switcher" aria-label="Search" onCancel={() => setOpen(false)}>
							<div className="input-box" data-icon="search">
								<input
									aria-label="Search everything"
									onInput={({ currentTarget }) => {
										typed.current = currentTarget.value
									}}
								/>
							</div>
						</dialog>
					}
				>
					<Switcher open={isOpen} typed={typed} onClose={() => setOpen(false)} />
				</Suspense>
			)}
		</>
	)
}
