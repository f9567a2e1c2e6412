import { useNavigate } from 'react-router'
import { toast } from '~/shell/toast.ts'
import { SimilarQuestions } from '../../components/similar-questions.tsx'

interface SimilarAsideProps {
	typed: { title: string; description: string }
	/** Discards the draft, as the answer was there already. */
	onSolved: () => void
}

/** What was asked already, beside a question that is being written. One that answers it takes the place of the draft. */
export function SimilarAside({ typed, onSolved }: SimilarAsideProps) {
	const navigate = useNavigate()
	const leave = async (url: string) => {
		onSolved()
		await navigate(url)
		toast({ type: 'success', message: 'Good to hear. Your draft was discarded.' })
	}
	return <SimilarQuestions {...typed} onSolved={(_id, url) => void leave(url)} />
}
