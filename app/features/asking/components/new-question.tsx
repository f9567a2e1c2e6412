import { Plus } from 'lucide'
import { type ComponentType, type MouseEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { type CategoryView, categoriesToAskIn } from '~/features/tags/tags.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { useRootData } from '~/lib/root-data.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { Spinner } from '~/ui/submit-button.tsx'
import type AskModal from './ask-modal.tsx'

interface NewQuestionProps {
	/** The default category. */
	category: string | undefined
	categories: CategoryView[]
}

type Modal = ComponentType<Parameters<typeof AskModal>[0]>

/** Loaded when the button is hovered or focused. */
const load = () => import('./ask-modal.tsx')

/** A link to the ask page; with scripts, the form opens in a dialog. */
export function NewQuestion({ category, categories }: NewQuestionProps) {
	const [Modal, setModal] = useState<Modal | null>(null)
	const [open, setOpen] = useState(false)
	const [loading, setLoading] = useState(false)
	const navigate = useNavigate()
	const { viewer } = useRootData()
	const possible = categoriesToAskIn(categories, viewer).find(({ slug }) => slug === category)?.slug
	const page = withParams('/forum/ask', { category: possible })
	const prefetch = () => void load().catch(() => {})
	const press = async (event: MouseEvent) => {
		if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
		event.preventDefault()
		setLoading(true)
		try {
			const { default: loaded } = await load()
			setModal(() => loaded)
			setOpen(true)
		} catch {
			// If the chunk fails to load, the page is used.
			navigate(page)
		} finally {
			setLoading(false)
		}
	}
	return (
		<>
			<Link
				className="btn btn-primary"
				to={page}
				aria-haspopup="dialog"
				aria-busy={loading || undefined}
				onClick={press}
				onPointerEnter={prefetch}
				onFocus={prefetch}
			>
				New {loading ? <Spinner /> : <Icon of={Plus} />}
			</Link>
			{open && Modal && (
				<Modal category={possible ?? 'others'} categories={categories} onClose={() => setOpen(false)} />
			)}
		</>
	)
}
