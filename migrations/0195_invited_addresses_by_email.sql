-- Who comes by the login of the campus is looked up among the invited addresses.
create index invited_addresses_email on invited_addresses (email);
