import { LoaderCircle } from 'lucide-react'

/** Goes before the words of a busy button. */
export function Spinner() {
	return <LoaderCircle className="icon spin" aria-hidden="true" />
}
