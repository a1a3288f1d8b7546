extension MistakeRow {
  private static let visa = SendTests.visa
  private static let card = TapProgram.card("visa-cvn18")

  /// Mistakes in the options of `accept` and `present`.
  static let payments = table(
    """
    accept --reader \(visa) --amount 1 --currency EUR --timeout x ¦ 64 ¦ 'x' ¦ --timeout ¦ 1 to 3600
    accept --reader \(visa) --amount 1 --currency EUR --timeout 0 ¦ 64 ¦ --timeout 0 ¦ 1...3600
    accept --reader \(visa) --amount 1 --currency EUR --timeout 3601 ¦ 64 ¦ --timeout 3601 ¦ 1...3600
    accept --reader \(visa) --amount 1 --currency EUR --timeout -1 ¦ 64 ¦ --timeout -1 ¦ 1...3600
    accept --reader \(visa) --amount 1 --currency EUR --timeout 99999999999999999999 ¦ 64 ¦ 99999999999999999999
    accept --reader \(visa) --amount 1 --currency EUR --timeout '' ¦ 64 ¦ --timeout
    accept --reader \(visa) --amount 1 --currency EUR --timeout ¦ 64 ¦ Missing value ¦ --timeout
    accept --reader \(visa) --amount 1 --currency EUR --restarts -1 ¦ 64 ¦ --restarts -1 ¦ 0...20
    accept --reader \(visa) --amount 1 --currency EUR --restarts 21 ¦ 64 ¦ --restarts 21 ¦ 0...20
    accept --reader \(visa) --amount 1 --currency EUR --format xml ¦ 64 ¦ 'xml' ¦ 'text' and 'json'
    accept --reader \(visa) --amount 1 --currency EUR --force ¦ 64 ¦ --force needs --record
    accept --reader \(visa) --amount 1 --currency EUR --faults ¦ 2 ¦ visa-cvn18.json ¦ --faults needs a fault plan
    accept --reader \(visa) --amount 1 --currency EUR --issuer x ¦ 64 ¦ 'x' ¦ https://HOST:PORT
    accept --reader \(visa) --amount 1 --currency EUR --issuer http://127.0.0.1:1 ¦ 64 ¦ https://HOST:PORT
    accept --reader \(visa) --amount 1 --currency EUR --issuer none --issuer-key x ¦ 64 ¦ --issuer-key needs --issuer test
    accept --reader \(visa) --amount 1 --currency EUR --issuer-key ¦ 64 ¦ Missing value ¦ --issuer-key
    accept --reader \(visa) --amount 1 --currency EUR --cashback 2 ¦ 64 ¦ cashback ¦ more than the whole amount
    accept --reader \(visa) --amount 1 --currency EUR --cashback x ¦ 64 ¦ "x"
    accept --reader \(visa) --amount 1e3 --currency EUR ¦ 64 ¦ character 2 ¦ "e" ¦ digits
    accept --reader \(visa) --amount 1.2.3 --currency EUR ¦ 64 ¦ character 4
    accept --reader \(visa) --amount ␣1 --currency EUR ¦ 64 ¦ character 1 ¦ digits
    accept --reader \(visa) --amount 1.234 --currency EUR ¦ 64 ¦ 3 decimals ¦ has 2
    accept --reader \(visa) --amount 1.5 --currency JPY ¦ 64 ¦ 1 decimal ¦ has 0
    accept --reader \(visa) --amount -1 --currency EUR ¦ 64 ¦ "-" ¦ digits
    accept --reader \(visa) --amount 99999999999.99 --currency EUR ¦ 64 ¦ more than 12 digits
    accept --reader \(visa) --amount '' --currency EUR ¦ 64 ¦ no digits
    accept --reader \(visa) --amount 1 --currency EURO ¦ 64 ¦ "EURO" ¦ 978 (EUR)
    accept --reader \(visa) --amount 1 --currency SEK ¦ 64 ¦ "SEK" ¦ 978 (EUR) ¦ tap terminal new --currency SEK
    accept --reader \(visa) --amount 1 --currency '' ¦ 64 ¦ "" ¦ 978 (EUR)
    accept --reader \(visa) --amount 1 ¦ 64 ¦ --currency
    accept --reader \(visa) --currency EUR ¦ 64 ¦ --amount
    accept --amount 1 --currency EUR ¦ 64 ¦ --reader is needed ¦ CONTACTLESS_READER
    accept --reader nosuch --amount 1 --currency EUR ¦ 64 ¦ 'nosuch' ¦ loopback:CARDFILE ¦ pcsc:NAME
    accept --reader pcsc: --amount 1 --currency EUR ¦ 64 ¦ 'pcsc:' ¦ pcsc:NAME
    accept --reader PCSC:x --amount 1 --currency EUR ¦ 64 ¦ 'PCSC:x' ¦ pcsc:NAME
    accept --reader pcsc:x --faults --amount 1 --currency EUR ¦ 64 ¦ --faults needs --reader loopback:CARDFILE
    present ¦ 64 ¦ --link is needed ¦ CONTACTLESS_LINK
    present --link loopback --card \(card) --timeout 0 ¦ 64 ¦ --timeout 0 ¦ 1...3600
    present --link loopback --card \(card) --timeout 3601 ¦ 64 ¦ --timeout 3601 ¦ 1...3600
    present --link loopback --card \(card) --timeout x ¦ 64 ¦ 'x' ¦ 1 to 3600
    present --link loopback ¦ 64 ¦ --card, --wallet, --recording or --responder
    present --link nosuch --card \(card) ¦ 64 ¦ 'nosuch' ¦ vpcd:HOST:PORT
    present --link vpcd:localhost:x --card \(card) ¦ 64 ¦ vpcd:localhost:x ¦ vpcd:HOST:PORT
    present --link vpcd:localhost:-1 --card \(card) ¦ 64 ¦ vpcd:localhost:-1
    present --link loopback --card \(card) --count 0 ¦ 64 ¦ --count 0
    present --link loopback --card \(card) --count -1 ¦ 64 ¦ --count -1
    present --link loopback --card \(card) --count x ¦ 64 ¦ 'x' ¦ --count
    present --link loopback --card \(card) --faults ¦ 2 ¦ --faults needs a fault plan
    present --link loopback --card \(card) --policy x ¦ 64 ¦ 'x' ¦ --policy
    present --link loopback --card \(card) --user x ¦ 64 ¦ 'x' ¦ --user
    present --link loopback --card \(card) --retry-limit 11 ¦ 64 ¦ --retry-limit 11 ¦ 0...10
    present --link loopback --card \(card) --retry-limit -1 ¦ 64 ¦ --retry-limit -1 ¦ 0...10
    present --link loopback --card \(card) --retry-timeout 600 ¦ 64 ¦ --retry-timeout needs --retry-limit
    present --link loopback --card \(card) --digital-card x ¦ 64 ¦ --digital-card needs --wallet
    present --link loopback --card \(card) --wallet DIR/w ¦ 64 ¦ --card, --wallet, --recording or --responder
    present --link loopback --card \(card) --unarmed --issuer-key x ¦ 64 ¦ --issuer-key needs --card
    present --link loopback --wallet DIR/w --issuer-key x ¦ 64 ¦ --issuer-key needs --card ¦ tap wallet add
    present --link loopback --card \(card) --format xml ¦ 64 ¦ 'xml'
    present --link vpcd:127.0.0.1:1 --card \(card) ¦ 3 ¦ 127.0.0.1 port 1 ¦ Connection refused ¦ apt-get
    """)
}
