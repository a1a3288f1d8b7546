import Fixtures
import Foundation

extension MistakeRow {
  private static let visa = SendTests.visa
  private static let card = TapProgram.card("visa-cvn18")
  private static let scenario = Fixtures.url("Scenarios/visa-low-value.yaml").path
  private static let recording = Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path

  /// Mistakes with files: missing, empty, malformed, folders, devices.
  static let files = cards + others

  /// Every command that takes a card profile, with files that are no card profiles.
  private static let cards: [MistakeRow] = [
    "accept --amount 1 --currency EUR --reader loopback:", "present --link loopback --card ", "bench --card ",
    "demo --card ", "card show ", "lab pn532 --card ", "lab pcsc --card ", "shell --reader loopback:",
    "dump --reader loopback:",
  ].flatMap { command in
    table(
      """
      \(command)/nonexistent/card.json ¦ 1 ¦ /nonexistent/card.json cannot be read ¦ No such file
      \(command)/ ¦ 1 ¦ / cannot be read ¦ Is a directory
      \(command)DIR/empty ¦ 2 ¦ empty: ¦ line 1, column 1 ¦ the end of the text
      \(command)DIR/open.json ¦ 2 ¦ open.json: ¦ line 1, column 2 ¦ a key in quotation marks
      \(command)DIR/list.json ¦ 2 ¦ list.json ¦ line 1, column 1 ¦ an object is needed, not a list
      \(command)DIR/letters.txt ¦ 2 ¦ letters.txt ¦ line 1
      """)
  }

  /// All other commands that read or write files.
  private static let others = table(
    """
    accept --reader \(visa) --amount 1 --currency EUR --terminal /nonexistent ¦ 1 ¦ /nonexistent ¦ No such file
    accept --reader \(visa) --amount 1 --currency EUR --terminal / ¦ 1 ¦ / cannot be read ¦ Is a directory
    accept --reader \(visa) --amount 1 --currency EUR --terminal DIR/empty ¦ 2 ¦ empty:  ¦ line 1, column 1 ¦ not JSON: expected a value
    accept --reader \(visa) --amount 1 --currency EUR --terminal DIR/open.json ¦ 2 ¦ open.json:  ¦ line 1, column 2
    accept --reader \(visa) --amount 1 --currency EUR --terminal DIR/list.json ¦ 2 ¦ list.json:  ¦ an object is needed, not a list
    lab pcsc --socket DIR/empty ¦ 1 ¦ empty cannot be made ¦ it exists: name another file
    lab pcsc --socket /nonexistent/x ¦ 1 ¦ /nonexistent/x cannot be made ¦ No such file
    accept --reader \(visa) --amount 1 --currency EUR --record '' ¦ 1 ¦ without a name
    accept --reader \(visa) --amount 1 --currency EUR --record / ¦ 1 ¦ / cannot be written ¦ it is a directory
    accept --reader \(visa) --amount 1 --currency EUR --record /nonexistent/x ¦ 1 ¦ /nonexistent/x ¦ there is no directory
    accept --reader \(visa) --amount 1 --currency EUR --record DIR/empty ¦ 1 ¦ empty exists ¦ --force
    accept --reader replay:/nonexistent --amount 1 --currency EUR ¦ 1 ¦ /nonexistent ¦ No such file
    accept --reader replay:DIR/letters.txt --amount 1 --currency EUR ¦ 2 ¦ letters.txt: line 1 ¦ "z"
    accept --reader replay:/ --amount 1 --currency EUR ¦ 1 ¦ / cannot be read
    accept --reader \(visa) --amount 1 --currency EUR --issuer-key /nonexistent ¦ 1 ¦ /nonexistent cannot be read ¦ No such file
    accept --reader \(visa) --amount 1 --currency EUR --issuer-key / ¦ 1 ¦ / cannot be read ¦ Is a directory
    replay \(recording) --issuer-key /nonexistent ¦ 1 ¦ /nonexistent cannot be read ¦ No such file
    replay \(recording) --card /nonexistent ¦ 1 ¦ /nonexistent cannot be read ¦ No such file
    replay \(recording) --card DIR/list.json ¦ 2 ¦ list.json ¦ an object is needed
    convert /nonexistent --to json ¦ 1 ¦ /nonexistent cannot be read ¦ No such file
    convert / --to json ¦ 1 ¦ / cannot be read
    convert DIR/empty --to json ¦ 2 ¦ empty ¦ nothing of a recording ¦ --from
    convert DIR/letters.txt --to json ¦ 2 ¦ letters.txt ¦ line 1 ¦ "z"
    convert \(recording) --to json -o / ¦ 1 ¦ / cannot be written ¦ it is a directory
    convert \(recording) --to json -o /nonexistent/x ¦ 1 ¦ /nonexistent/x cannot be written
    convert \(recording) --to json -o DIR/empty ¦ 1 ¦ empty exists ¦ --force
    convert \(recording) --to json -o /dev/full ¦ 1 ¦ /dev/full ¦ No space left
    convert \(recording) --to json -o '' ¦ 64 ¦ -o needs the name of a file
    convert \(recording) --to json --force ¦ 64 ¦ --force needs -o FILE
    redact /nonexistent ¦ 1 ¦ /nonexistent cannot be read ¦ No such file
    redact / ¦ 1 ¦ / cannot be read
    redact DIR/empty ¦ 2 ¦ empty ¦ nothing of a recording
    redact DIR/letters.txt ¦ 2 ¦ letters.txt ¦ line 1
    redact \(recording) -o /nonexistent/x ¦ 1 ¦ /nonexistent/x cannot be written
    decode /nonexistent ¦ 1 ¦ /nonexistent: there is no such file
    decode DIR/empty ¦ 2 ¦ empty: there is nothing to decode
    decode / ¦ 1 ¦ / cannot be read
    decode DIR/letters.txt ¦ 2 ¦ letters.txt:  ¦ "z"
    decode zz ¦ 2 ¦ character 0 ¦ "z"
    decode 0 ¦ 2 ¦ 1 hexadecimal digit ¦ an even number
    decode - ¦ 2 ¦ standard input: there is nothing to decode
    decode '' ¦ 2 ¦ nothing to decode
    test --reader loopback /nonexistent ¦ 1 ¦ /nonexistent ¦ No such file
    test /nonexistent ¦ 1 ¦ /nonexistent cannot be read ¦ No such file
    test \(scenario) /nonexistent ¦ 1 ¦ /nonexistent cannot be read ¦ No such file
    test DIR/open.json ¦ 64 ¦ --reader or --link is needed
    test --reader loopback \(scenario) -o /nonexistent/x ¦ 1 ¦ /nonexistent/x
    test --reader loopback \(scenario) --record DIR/empty ¦ 1 ¦ empty
    send --reader \(visa) --script /nonexistent ¦ 1 ¦ /nonexistent ¦ No such file
    card check /nonexistent ¦ 1 ¦ /nonexistent cannot be read
    terminal check / ¦ 1 ¦ / cannot be read
    terminal show DIR/list.json ¦ 2 ¦ list.json ¦ an object is needed
    wallet list --wallet /nonexistent ¦ 1 ¦ /nonexistent holds no wallet ¦ tap wallet add
    wallet add --wallet DIR/w --card DIR/open.json ¦ 2 ¦ open.json ¦ line 1, column 2
    wallet add --wallet DIR/empty --card \(card) ¦ 1 ¦ empty ¦ cannot be opened
    """)
}
