import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { grouped } from '~/lib/text.ts'
import { TextArea } from '~/ui/field.tsx'

interface CountedTextProps extends Omit<ComponentProps<typeof TextArea>, 'defaultValue'> {
	defaultValue: string
	/** How many characters it takes. */
	most: number
}

/** A text of several lines that says how much of its room is used. */
export function CountedText({ defaultValue, most, ...area }: CountedTextProps) {
	const [length, setLength] = useState(defaultValue.length)
	const field = useRef<HTMLTextAreaElement>(null)
	// What was typed before the scripts were there told nobody.
	useEffect(() => setLength(field.current?.value.length ?? 0), [])
	return (
		<TextArea
			{...area}
			ref={field}
			defaultValue={defaultValue}
			maxLength={most}
			onChange={(event) => setLength(event.target.value.length)}
			aside={
				<span className="hint">
					{grouped(length)} of {grouped(most)}
				</span>
			}
		/>
	)
}
