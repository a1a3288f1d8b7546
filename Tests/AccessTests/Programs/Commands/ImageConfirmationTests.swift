@testable import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import ProgramSupport
import TestSupport
import Testing
@testable import tap_wallet

/// A transaction whose content is an image, which `tap-wallet` cannot show.
struct ImageConfirmationTests {
  @Test func `the confirmation of an image is refused without a question`() async throws {
    let scratch = try Scratch()
    let answers = try Answers(path: scratch.write("answers.json", #"{"confirm": ["yes"]}"#))
    let prompter = Prompter(EventOutput(.json, goesOn: true), answers, clock: SystemClock())
    let content = #"{"contentType": "image/png", "content": "iVBORw0KGgo", "tcDisplayPNGCharacteristics": []}"#
    let image = try Transaction(JSONValue(parsing: Array(content.utf8)), at: "transaction")
    let interactions = WalletInteractions(prompter: prompter)
    await #expect(throws: InteractionCancelled.self) {
      try await interactions.confirm(TransactionConfirmation(account: nil, transaction: image))
    }
    #expect(answers.next("confirm") == "yes")
  }

  @Test func `the confirmation of a text asks for yes or no`() async throws {
    let scratch = try Scratch()
    let answers = try Answers(path: scratch.write("answers.json", #"{"confirm": ["yes"]}"#))
    let prompter = Prompter(EventOutput(.json, goesOn: true), answers, clock: SystemClock())
    let text = try #require(Transaction(text: "Pay 5 CHF"))
    try await WalletInteractions(prompter: prompter).confirm(TransactionConfirmation(account: nil, transaction: text))
    #expect(answers.next("confirm") == nil)
  }
}
