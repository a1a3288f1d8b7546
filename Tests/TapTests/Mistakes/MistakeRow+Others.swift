import Fixtures
import Foundation

extension MistakeRow {
  private static let visa = SendTests.visa
  private static let card = TapProgram.card("visa-cvn18")
  private static let scenario = Fixtures.url("Scenarios/visa-low-value.yaml").path

  /// Mistakes in the options of the other commands.
  static let options = table(
    """
    test ¦ 64 ¦ <scenario>
    test \(scenario) ¦ 64 ¦ --reader or --link is needed, or --check ¦ CONTACTLESS_READER
    test \(scenario) --reader x ¦ 64 ¦ 'x' ¦ loopback
    test \(scenario) --reader loopback --repeat 0 ¦ 64 ¦ --repeat 0 ¦ 1...10000
    test \(scenario) --reader loopback --repeat -1 ¦ 64 ¦ --repeat -1 ¦ 1...10000
    test \(scenario) --reader loopback --repeat x ¦ 64 ¦ 'x' ¦ 1 to 10000
    test \(scenario) --reader loopback --timeout 0 ¦ 64 ¦ --timeout 0 ¦ 1...3600
    test \(scenario) --reader loopback --timeout -5 ¦ 64 ¦ --timeout -5 ¦ 1...3600
    test \(scenario) --reader loopback --format xml ¦ 64 ¦ 'xml' ¦ junit
    test \(scenario) --reader loopback --force ¦ 64 ¦ --force needs
    test \(scenario) --check --reader loopback ¦ 64 ¦ --check takes none of
    test \(scenario) --list --reader loopback ¦ 64 ¦ --list takes none of
    test \(scenario) --list --check ¦ 64 ¦ exclude each other
    test \(scenario) --reader loopback -k ¦ 64 ¦ Missing value ¦ -k
    test \(scenario) --reader loopback -k '' ¦ 64 ¦ -k '' ¦ column 1 ¦ "not" or "("
    test \(scenario) --reader loopback -k and ¦ 64 ¦ -k 'and' ¦ column 1 ¦ "not" or "("
    test \(scenario) --reader loopback -k (visa ¦ 64 ¦ -k '(visa' ¦ column 6 ¦ ")" is missing
    test \(scenario) --reader loopback -k visa␣low ¦ 64 ¦ -k 'visa low' ¦ column 6 ¦ "and", "or"
    test \(scenario) --reader loopback -k nosuch ¦ 2 ¦ -k 'nosuch' ¦ selects none of 1 scenario ¦ --list
    test \(scenario) --reader loopback -q -v ¦ 64 ¦ --verbose and --quiet exclude each other
    test \(scenario) --reader loopback --slowest 0 ¦ 64 ¦ --slowest 0 ¦ 1...10000
    test \(scenario) --reader loopback --slowest -1 ¦ 64 ¦ --slowest -1 ¦ 1...10000
    test \(scenario) --reader loopback --slowest x ¦ 64 ¦ 'x' ¦ 1 to 10000
    test \(scenario) --reader loopback --slowest 1 --format junit ¦ 64 ¦ --slowest needs --format text
    bench --taps 0 ¦ 64 ¦ --taps 0 ¦ 1...10000
    bench --taps -1 ¦ 64 ¦ --taps -1 ¦ 1...10000
    bench --taps 10001 ¦ 64 ¦ --taps 10001 ¦ 1...10000
    bench --taps x ¦ 64 ¦ 'x' ¦ 1 to 10000
    bench --warm-up -1 ¦ 64 ¦ --warm-up -1 ¦ 0...10000
    bench --warm-up 10001 ¦ 64 ¦ --warm-up 10001 ¦ 0...10000
    bench --timeout 0 ¦ 64 ¦ --timeout 0 ¦ 1...3600
    bench --timeout 3601 ¦ 64 ¦ --timeout 3601 ¦ 1...3600
    bench --force ¦ 64 ¦ --force needs --save
    bench --reader pcsc:x --link direct ¦ 64 ¦ --reader needs neither
    bench --reader loopback:x ¦ 64 ¦ a reader is acr122:NAME
    bench --compare /nonexistent ¦ 1 ¦ /nonexistent cannot be read
    bench --compare DIR/endless.json ¦ 2 ¦ endless.json has a time or a count outside
    bench --compare DIR/letters.txt ¦ 2 ¦ letters.txt is no result of tap bench --save
    wallet reset --wallet /nonexistent ¦ 1 ¦ /nonexistent holds no wallet ¦ tap wallet add
    wallet keys --wallet /nonexistent ¦ 1 ¦ /nonexistent holds no wallet ¦ tap wallet add
    wallet delete --wallet /nonexistent x ¦ 1 ¦ /nonexistent holds no wallet ¦ tap wallet add
    bench --link x ¦ 64 ¦ 'x' ¦ 'loopback'
    decode --format xml 00 ¦ 64 ¦ 'xml' ¦ 'text' and 'json'
    convert x ¦ 64 ¦ --to
    convert x --to nosuch ¦ 64 ¦ 'nosuch' ¦ pcapng
    convert x --from nosuch --to json ¦ 64 ¦ 'nosuch' ¦ pcsc-spy
    redact ¦ 64 ¦ <file>
    replay ¦ 64 ¦ <file>
    replay x --format xml ¦ 64 ¦ 'xml' ¦ junit
    readers --format xml ¦ 64 ¦ 'xml'
    readers --timeout 5 ¦ 64 ¦ --timeout needs --watch
    readers --watch --timeout 0 ¦ 64 ¦ --timeout 0 ¦ 1...86400
    readers --watch --timeout x ¦ 64 ¦ 'x' ¦ 1 to 86400
    readers --watch --check ¦ 64 ¦ --watch and --check exclude each other
    shell ¦ 64 ¦ --reader
    shell --reader x ¦ 64 ¦ 'x' ¦ pcsc:NAME
    shell --reader \(visa) --timeout 0 ¦ 64 ¦ --timeout 0 ¦ 1...3600
    shell --reader \(visa) --timeout -1 ¦ 64 ¦ --timeout -1 ¦ 1...3600
    dump ¦ 64 ¦ --reader
    dump --reader \(visa) --aid 00 ¦ 64 ¦ --aid 00 ¦ 5 to 16
    send --reader \(visa) ¦ 64 ¦ --script FILE
    send --reader \(visa) 00A4 ¦ 2 ¦ 00A4 ¦ at least 4
    send --reader \(visa) 00A4040005A0 ¦ 2 ¦ 00A4040005A0 ¦ --raw
    wallet list ¦ 64 ¦ --wallet
    wallet list --wallet '' ¦ 64 ¦ --wallet needs
    wallet add --wallet DIR/w ¦ 64 ¦ --card
    wallet add --wallet DIR/w --card \(card) --uses 0 ¦ 64 ¦ --uses 0 ¦ 1...65535
    wallet add --wallet DIR/w --card \(card) --uses -1 ¦ 64 ¦ --uses -1 ¦ 1...65535
    wallet add --wallet DIR/w --card \(card) --uses x ¦ 64 ¦ 'x' ¦ 1 to 65535
    wallet add --wallet DIR/w --card \(card) --policy x ¦ 64 ¦ 'x' ¦ biometricOnly
    wallet add --wallet DIR/w --card \(card) --keys x ¦ 64 ¦ 'x' ¦ --keys
    device simulate ¦ 64 ¦ --device
    device simulate --device DIR/d --advance -1 ¦ 64 ¦ --advance -1 ¦ 0...1000000000
    device enrol ¦ 64 ¦ --wallet
    lab pn532 --seed x ¦ 64 ¦ 'x' ¦ --seed
    lab pn532 --seed -1 ¦ 64 ¦ '-1' ¦ --seed
    lab pn532 --timeout 0 ¦ 64 ¦ --timeout 0 ¦ 1...86400
    lab pair --timeout 86401 ¦ 64 ¦ --timeout 86401 ¦ 1...86400
    lab pcsc --timeout -1 ¦ 64 ¦ --timeout -1 ¦ 1...86400
    lab pcsc --port 0 ¦ 64 ¦ --port 0 ¦ 1...65534
    lab pcsc --port 65535 ¦ 64 ¦ --port 65535 ¦ 1...65534
    lab pcsc --timeout x ¦ 64 ¦ 'x' ¦ 1 to 86400
    lab pn532 --pace x ¦ 64 ¦ 'x' ¦ 'real' and 'none'
    lab pn532 --faults x=1 ¦ 64 ¦ 'x=1' ¦ drop=0...1000
    lab pn532 --faults drop=1001 ¦ 64 ¦ 'drop=1001' ¦ drop=0...1000
    lab pn532 --faults drop=-1 ¦ 64 ¦ 'drop=-1' ¦ drop=0...1000
    lab pair --seed x ¦ 64 ¦ 'x' ¦ --seed
    card new --scheme visa --number 4761739001010011 ¦ 64 ¦ --number ¦ check digit
    card keys --format xml ¦ 64 ¦ 'xml' ¦ schema
    version --format xml ¦ 64 ¦ 'xml'
    """)

  /// Commands that do not exist.
  static let commands = table(
    """
    acept ¦ 64 ¦ unknown command "acept". Did you mean "accept"?
    Accept ¦ 64 ¦ unknown command "Accept". Did you mean "accept"?
    help acept ¦ 64 ¦ unknown command "acept". Did you mean "accept"?
    shel --reader x ¦ 64 ¦ unknown command "shel". Did you mean "shell"?
    card nwe ¦ 64 ¦ unknown command "nwe". Did you mean "new"? ¦ Usage: tap card
    lab pcs ¦ 64 ¦ unknown command "pcs". Did you mean "pcsc"? ¦ Usage: tap lab
    wallet lsit ¦ 64 ¦ unknown command "lsit". Did you mean "list"?
    nonsense ¦ 64 ¦ unknown command "nonsense" ¦ tap --help
    accept --amout 3 ¦ 64 ¦ unknown option "--amout". Did you mean "--amount"? ¦ Usage: tap accept
    accept --amount 3 --curency=EUR ¦ 64 ¦ unknown option "--curency". Did you mean "--currency"?
    accept -amount 3 ¦ 64 ¦ unknown option "-amount". Did you mean "--amount"?
    accept --amount -5 --currency EUR -z ¦ 64 ¦ unknown option "-z".
    card new --shceme visa ¦ 64 ¦ unknown option "--shceme". Did you mean "--scheme"? ¦ Usage: tap card new
    '' ¦ 64 ¦ ""
    --nosuch ¦ 64 ¦ unknown option "--nosuch"
    """)

  /// Every command with an option or an argument that it does not have.
  static let commandLines: [MistakeRow] = [
    "accept --reader \(visa) --amount 1 --currency EUR", "present --link loopback --card \(card)",
    "dump --reader \(visa)", "shell --reader \(visa)", "convert x --to json", "redact x", "bench", "readers", "demo",
    "version",
  ].flatMap { line in
    table("\(line) --nosuch ¦ 64 ¦ unknown option \"--nosuch\"\n\(line) more ¦ 64 ¦ Unexpected argument 'more'")
  }
}
