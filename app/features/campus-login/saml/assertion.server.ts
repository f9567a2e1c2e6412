import { z } from 'zod'

/* What a signed assertion says. It comes as the library has parsed it: of elements lists by their names, `_` their text, `$` their attributes. */

/** An element without text and attributes is parsed as an empty text. */
const element = <Shape extends z.ZodRawShape>(shape: Shape) =>
	z.preprocess((value) => (value === '' ? {} : value), z.object(shape))

const subjectConfirmation = element({
	$: z.object({ Method: z.string() }),
	SubjectConfirmationData: z
		.tuple([
			element({
				$: z.object({
					Recipient: z.string().optional(),
					InResponseTo: z.string().optional(),
					NotBefore: z.string().optional(),
					NotOnOrAfter: z.string().optional(),
				}),
			}),
		])
		.optional(),
})

const parsedAssertion = z.object({
	Assertion: z.object({
		Issuer: z.tuple([element({ _: z.string() })]),
		Subject: z.tuple([
			element({
				NameID: z
					.tuple([element({ _: z.string().default(''), $: z.object({ Format: z.string().default('') }).optional() })])
					.optional(),
				SubjectConfirmation: z.array(subjectConfirmation),
			}),
		]),
		AuthnStatement: z.array(element({ $: z.object({ SessionNotOnOrAfter: z.string().optional() }).optional() })),
		AttributeStatement: z
			.array(
				element({
					Attribute: z
						.array(
							element({
								$: z.object({ Name: z.string() }),
								AttributeValue: z.array(element({ _: z.string().default('') })).default([]),
							}),
						)
						.default([]),
				}),
			)
			.default([]),
	}),
})

export interface Assertion {
	/** The entity ID of the login service. */
	issuer: string
	/** Null where none was sent. The format is an URN; empty where it was not said. */
	nameId: { value: string; format: string } | null
	/** How it is confirmed that the bearer is the subject; all times as they were sent, in ISO 8601. */
	confirmations: readonly {
		method: string
		recipient?: string | undefined
		inResponseTo?: string | undefined
		notBefore?: string | undefined
		notOnOrAfter?: string | undefined
	}[]
	/** When the session at the login service ends; ISO 8601. */
	sessionEnds: readonly string[]
	/** By their names: the values without blanks at their ends, empty ones left out. */
	attributes: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads an assertion whose signature was verified.
 * @param parsed as the library has parsed the signed bytes
 * @throws ZodError where it is not built as SAML 2.0 wants it
 */
export function readAssertion(parsed: unknown): Assertion {
	const { Issuer, Subject, AuthnStatement, AttributeStatement } = parsedAssertion.parse(parsed).Assertion
	const [{ NameID, SubjectConfirmation }] = Subject
	const [nameId] = NameID ?? []
	const attributes = new Map<string, string[]>()
	for (const { $, AttributeValue } of AttributeStatement.flatMap(({ Attribute }) => Attribute)) {
		const values = AttributeValue.map(({ _: value }) => value.trim()).filter((value) => value !== '')
		attributes.set($.Name, [...(attributes.get($.Name) ?? []), ...values])
	}
	return {
		issuer: Issuer[0]._.trim(),
		nameId: nameId ? { value: nameId._.trim(), format: nameId.$?.Format ?? '' } : null,
		confirmations: SubjectConfirmation.map(({ $: { Method }, SubjectConfirmationData: data }) => {
			const { Recipient, InResponseTo, NotBefore, NotOnOrAfter } = data?.[0].$ ?? {}
			return {
				method: Method,
				recipient: Recipient,
				inResponseTo: InResponseTo,
				notBefore: NotBefore,
				notOnOrAfter: NotOnOrAfter,
			}
		}),
		sessionEnds: AuthnStatement.flatMap(({ $ }) => $?.SessionNotOnOrAfter ?? []),
		attributes,
	}
}
