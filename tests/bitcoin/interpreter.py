"""Runs the scripts of Bitcoin transactions by python-bitcoinlib.

Reads a list of {"transaction": hex, "spent": [{"script": hex, "amount": number}]} from standard
input, and writes a list with the problem of each transaction, or null if every input is satisfied.

The library's VerifyScript knows no witnesses. So a witness of version 0 is resolved here as BIP-141
says, and run by the library's EvalScript with the library's own digest of BIP-143.
"""

import hashlib
import json
import sys

from bitcoin.core import CTransaction, b2x, x
from bitcoin.core import scripteval
from bitcoin.core.script import (
    OP_CHECKSIG,
    OP_DUP,
    OP_EQUALVERIFY,
    OP_HASH160,
    SIGVERSION_WITNESS_V0,
    CScript,
    SignatureHash,
)

FLAGS = {
    scripteval.SCRIPT_VERIFY_P2SH,
    scripteval.SCRIPT_VERIFY_CLEANSTACK,
    scripteval.SCRIPT_VERIFY_NULLDUMMY,
}
legacy_digest = scripteval.RawSignatureHash


def verify(transaction, index, spent):
    script_sig = transaction.vin[index].scriptSig
    script = CScript(x(spent["script"]))
    witnesses = transaction.wit.vtxinwit
    witness = list(witnesses[index].scriptWitness.stack) if witnesses else []
    program = script
    if script.is_p2sh() and witness:
        pushes = list(script_sig)
        assert len(pushes) == 1, "a signature script of one push"
        program = CScript(pushes[0])
        # That the push is the redeem script of the output.
        scripteval.VerifyScript(script_sig, script, transaction, index, {scripteval.SCRIPT_VERIFY_P2SH})
    if not program.is_witness_scriptpubkey():
        assert not witness, "no witness"
        scripteval.VerifyScript(script_sig, program, transaction, index, FLAGS)
        return
    assert program.witness_version() == 0, "witness version 0"
    if program == script:
        assert len(script_sig) == 0, "an empty signature script"
    verify_witness(transaction, index, spent["amount"], bytes(program)[2:], witness)


def verify_witness(transaction, index, amount, program, witness):
    if len(program) == 20:
        assert len(witness) == 2, "a witness of two items"
        code = CScript([OP_DUP, OP_HASH160, program, OP_EQUALVERIFY, OP_CHECKSIG])
        stack = witness
    else:
        assert hashlib.sha256(witness[-1]).digest() == program, "the hash of the witness script"
        code = CScript(witness[-1])
        stack = witness[:-1]

    def witness_digest(script, _transaction, _index, hashtype):
        digest = SignatureHash(
            script, transaction, index, hashtype, amount=amount, sigversion=SIGVERSION_WITNESS_V0
        )
        return digest, None

    scripteval.RawSignatureHash = witness_digest
    try:
        scripteval.EvalScript(stack, code, transaction, index, FLAGS)
    finally:
        scripteval.RawSignatureHash = legacy_digest
    assert len(stack) == 1 and any(stack[0]), "one true item on the stack"


def problem(case):
    transaction = CTransaction.deserialize(x(case["transaction"]))
    assert b2x(transaction.serialize()) == case["transaction"]
    for index, spent in enumerate(case["spent"]):
        try:
            verify(transaction, index, spent)
        except Exception as error:  # every error is the answer
            return f"input {index}: {error!r}"
    return None


json.dump([problem(case) for case in json.load(sys.stdin)], sys.stdout)
